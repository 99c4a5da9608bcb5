"""Streamable HTTP: the application, its sockets and connections, and how it ends."""
