"""Who a caller is and what a token allows: static tokens, signed tokens, scopes."""
