"""The packaged prompts as MCP prompts."""
