"""Stdio: lines in, answers out, and every request answered before the end."""
