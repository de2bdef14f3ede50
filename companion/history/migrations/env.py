"""Run the migrations on the connection that the history hands over."""

from alembic import context

from companion.history.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
