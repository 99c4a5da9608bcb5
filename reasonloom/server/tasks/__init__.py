"""Tasks: calls whose results clients fetch later, in both revisions of the protocol."""
