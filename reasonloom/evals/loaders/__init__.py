"""Suites from files that a user has; what is wrong with one is found before anything is asked."""
