"""What the author wrote: text with places, the language, its schema and its shape."""
