"""Resources: what clients may read by URI, one module for each kind."""
