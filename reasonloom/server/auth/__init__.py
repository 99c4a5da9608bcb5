"""Server: auth."""
