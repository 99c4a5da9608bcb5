"""Who chooses where to go on: one module a strategy, each a pure function of the tree."""
