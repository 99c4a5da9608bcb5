"""A plan of operations on thoughts as a step machine over plain data (Graph of Operations)."""
