"""Readers of other hosts' transcripts, one a format."""
