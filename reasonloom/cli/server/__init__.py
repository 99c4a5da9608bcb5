"""Commands for server."""
