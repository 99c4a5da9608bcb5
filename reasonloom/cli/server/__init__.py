"""Commands that start, call and secure the server."""
