"""Commands for install."""
