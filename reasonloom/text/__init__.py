"""Pure text helpers, which every layer may use: splitting, counting, cleaning, comparing."""
