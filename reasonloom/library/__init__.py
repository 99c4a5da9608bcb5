"""The Python API: tools as methods, and reasoning modes as runnables for LangGraph."""
