"""Mental models: a module for each of their tools, and what those share."""
