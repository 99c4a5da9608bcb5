"""The eight frameworks: what each is, and its steps, as data."""
