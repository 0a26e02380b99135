"""Facts, session state, journal marks, contents, and the view of S0-60: `0001_<dialect>.sql` and `0001_events.sql`."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

FOLDER = Path(__file__).parents[1]


def upgrade() -> None:
    """Build everything."""
    for name in (f"0001_{op.get_bind().dialect.name}.sql", "0001_events.sql"):
        for statement in (FOLDER / name).read_text("utf-8").split(";\n"):
            if statement.strip():
                op.execute(statement)
