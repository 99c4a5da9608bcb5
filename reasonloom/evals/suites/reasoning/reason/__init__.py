"""The reasoning bench: tasks with memories, answered by each mode and checked by programs."""
