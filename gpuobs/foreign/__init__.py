"""Files that others wrote, read with their places."""
