"""Stdio: lines in, answers out, and none left over at the end."""
