"""Benchmarks: never part of a test."""
