"""Checks of reasoning and of feeling: a computed part, and a blind part of the language model."""
