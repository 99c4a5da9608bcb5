"""Checks of an answer's statements: calculations, units, dates, code, and contradicted figures."""
