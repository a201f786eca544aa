"""Prometheus configurations of others: read with their places, and refused where Prometheus would refuse them."""
