"""Studio pages of think, ponder, analyze and breakdown."""
