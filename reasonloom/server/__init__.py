"""The MCP server: stdio and HTTP transports, one adapter for tools, one translation of errors."""
