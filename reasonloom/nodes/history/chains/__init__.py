"""Chains of linked chunks, for recall and prediction."""
