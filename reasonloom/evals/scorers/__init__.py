"""Scorers: each gives an answer a mark of 0 to 1, and says of itself what it is."""
