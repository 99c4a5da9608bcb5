"""Storage of conversation history."""
