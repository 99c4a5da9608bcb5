"""Pages of the studio, in a real browser on real data."""
