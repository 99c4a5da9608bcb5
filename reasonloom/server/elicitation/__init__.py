"""Questions to the user, through clients that offer it."""
