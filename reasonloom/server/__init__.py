"""The MCP server: stdio and HTTP transports, one tool adapter, one translation of errors."""
