"""Sorting digits, one of the published tasks of Graph of Thoughts: model, data and checker."""
