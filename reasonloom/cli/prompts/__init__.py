"""Commands for prompts."""
