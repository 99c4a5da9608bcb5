"""Retrieval suites: memories are stored by `remember`, questions asked by `recall`, and judged.

Only what is found is judged, against the memories that are known to answer; no language model
reads or judges.
"""
