"""Alembic's entry: runs migrations on the connection that `proxy.store.migration` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from proxy.store.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
