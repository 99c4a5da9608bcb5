"""Several databases behind the interface of one: where owners live, and moves between them."""
