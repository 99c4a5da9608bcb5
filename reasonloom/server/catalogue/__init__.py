"""Server: catalogue."""
