"""State and wiring: one module a mode, and the engine that runs a graph as a recorded run."""
