"""The database: one aggregate per module, its SQL beside it; nothing above knows SQL."""
