"""Labelled sets for the checks of reasoning, and what is measured on them."""
