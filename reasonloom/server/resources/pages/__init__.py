"""Server: pages."""
