"""Requests and answers of the reasoning modes."""
