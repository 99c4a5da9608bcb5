"""Grants on spaces, the members of teams and groups, and the log of their use."""
