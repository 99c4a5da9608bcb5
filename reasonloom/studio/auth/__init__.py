"""Who may see the studio: hosts, headers, sign-in, visitors."""
