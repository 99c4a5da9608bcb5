"""The reasoning bench: tasks with memories, checked by programs, answered by each mode."""
