"""Pages for hosts with MCP Apps: what a tool's answer holds, drawn inside the chat."""
