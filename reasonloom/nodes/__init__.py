"""Graph nodes: each reads what it needs from the state and returns its updates."""
