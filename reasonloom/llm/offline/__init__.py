"""The offline provider, which answers without a language model."""
