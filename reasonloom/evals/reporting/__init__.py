"""Reports of runs and comparisons: one page of HTML that needs nothing else, or text to commit."""
