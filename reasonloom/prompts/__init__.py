"""Prompts for language models: versioned templates and their registry."""
