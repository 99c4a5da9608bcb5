"""Who may come in: names of the host, headers, signing in."""
