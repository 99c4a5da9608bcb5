"""The engine: it runs graphs as recorded runs, resumes them, and forks them."""
