"""The Game of 24, worked on by one simulated language model in many arrangements of calls."""
