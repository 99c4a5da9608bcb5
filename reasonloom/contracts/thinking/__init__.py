"""Requests and answers of think, ponder, analyze and breakdown."""
