"""A simulated language model for the Game of 24: make 24 from four numbers, each used once."""
