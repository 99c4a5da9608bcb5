"""What in a problem speaks for which framework: cues as data."""
