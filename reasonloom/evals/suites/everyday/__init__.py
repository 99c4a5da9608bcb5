"""Evals on everyday claims and arguments, labelled before the code that judges them changed."""
