"""Running promtool over what was generated."""
