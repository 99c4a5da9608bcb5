"""Studio pages of auth."""
