"""Streamable HTTP: the application, its middleware and limits, sockets and shutdown."""
