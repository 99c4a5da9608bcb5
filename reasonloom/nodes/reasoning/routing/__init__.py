"""Mode selection: cues, weights, and the choice of a mode."""
