"""The spaces of a visitor, who else may use them, and the log of their use."""
