"""Kinds of problems that plans can work on, one module each."""
