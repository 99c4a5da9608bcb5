"""Reports of runs and comparisons: one self-contained HTML page, or text to commit."""
