"""The account, its limits, and what changes cost."""
