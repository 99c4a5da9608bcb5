"""Language models: providers."""
