"""Page elements shared by all domains."""
