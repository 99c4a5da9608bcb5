"""Cases: runs of the engine that became items, each with the right answer beside it."""
