"""The words that language models are asked with: templates in versions, and their registry."""
