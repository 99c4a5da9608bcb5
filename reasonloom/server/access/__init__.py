"""Who may do what over HTTP: tokens, their scopes, and the limits of each caller."""
