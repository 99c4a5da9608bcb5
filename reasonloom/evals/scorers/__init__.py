"""Scorers: each marks an answer, usually from 0 to 1, and describes itself for the run's head."""
