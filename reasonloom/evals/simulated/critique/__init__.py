"""Answers with planted defects, and a model that criticises, revises and compares them."""
