"""Access to the studio: hosts, headers, sign-in, visitors."""
