"""Steps of conversation history."""
