"""The door for agents: MCP over stdio and HTTP, one adapter, one translation of errors."""
