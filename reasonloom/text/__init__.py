"""Pure text helpers for all layers: splitting, counting, cleaning, comparing."""
