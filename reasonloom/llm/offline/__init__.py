"""Language models: offline."""
