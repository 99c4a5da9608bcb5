"""Prompts of the package as MCP prompts."""
