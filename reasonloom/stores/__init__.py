"""What is remembered, in Postgres: one aggregate a module, and nothing above knows SQL."""
