"""Storage of backup."""
