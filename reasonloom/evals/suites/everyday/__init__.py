"""Everyday claims and arguments, labelled before the code that judges them was changed."""
