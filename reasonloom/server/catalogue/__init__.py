"""Which tools and resources are served, and what the server advises."""
