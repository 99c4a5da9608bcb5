"""Authentication and authorization: static tokens, signed tokens, scopes."""
