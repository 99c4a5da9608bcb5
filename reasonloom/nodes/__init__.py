"""Steps: each takes what it needs of the state and returns what it adds."""
