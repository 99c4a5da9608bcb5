"""How Alembic runs our steps: on the connection that `migrate.py` opened and locked."""

from alembic import context

from reasonloom.stores.tables import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
