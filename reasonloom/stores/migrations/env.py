"""Runs our migrations in Alembic, on the connection that `migrate.py` opened and locked."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], transaction_per_migration=True
)
with context.begin_transaction():
    context.run_migrations()
