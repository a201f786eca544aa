"""Proof of the output with the tools that will read it."""
