"""Commands for conversation history."""
