"""Loads suites from user files; errors are reported before any item is answered."""
