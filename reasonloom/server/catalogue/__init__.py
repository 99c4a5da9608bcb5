"""Selection of the served tools and resources, and the server's advice."""
