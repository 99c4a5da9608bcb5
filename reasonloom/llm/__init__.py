"""The language-model port and its providers, and the embedders beside it."""
