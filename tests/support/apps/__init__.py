"""A minimal host for MCP Apps, which follows the handshake of the extension."""
