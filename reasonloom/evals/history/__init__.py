"""Past sessions with labelled chains, and made-up transcripts to measure speed with."""
