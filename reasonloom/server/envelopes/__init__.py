"""Server: envelopes."""
