"""The graphs by domain, and the engine that runs them as recorded runs."""
