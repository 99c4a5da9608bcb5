"""The language-model interface with its providers, and the embedders."""
