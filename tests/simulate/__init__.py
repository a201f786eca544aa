"""Tests of the simulated exporters."""
