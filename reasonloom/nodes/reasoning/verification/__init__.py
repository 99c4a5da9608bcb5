"""Checks of what an answer states: calculations, units and dates, and what memory holds."""
