"""A simulated language model for the Game of 24: four numbers, each used once, make 24."""
