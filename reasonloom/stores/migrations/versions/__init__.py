"""The steps of the schema, named by their number."""
