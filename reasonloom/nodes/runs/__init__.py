"""Running tools: budget, language-model calls, completion, feedback."""
