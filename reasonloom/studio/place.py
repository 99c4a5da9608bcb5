"""Where the studio stands on its host."""

BASE = "/studio"
