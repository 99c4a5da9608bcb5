"""Labelled predictions and observations, by which it is judged what came of a prediction."""
