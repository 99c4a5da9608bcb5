"""Studio pages of conversation history."""
