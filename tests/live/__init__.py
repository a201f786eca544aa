"""Tests with real servers on loopback."""
