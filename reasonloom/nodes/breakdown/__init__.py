"""The steps of `breakdown`: a problem's sub-problems, what depends on what, and their order."""
