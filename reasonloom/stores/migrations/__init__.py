"""The schema's history, one step a file; Alembic walks it."""
