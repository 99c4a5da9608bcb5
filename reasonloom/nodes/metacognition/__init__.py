"""Checks of reasoning and emotion: a computed part, and blind judgement by the language model."""
