"""Runs may wait for the replies of whoever called the tool."""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0016"
down_revision = "0015"

STATUSES = "'running', 'done', 'failed', 'cancelled', 'interrupted', 'waiting', 'abandoned'"

QUESTIONS = """
CREATE TABLE questions (
    owner text NOT NULL,
    run_id uuid NOT NULL,
    node text NOT NULL,
    task text NOT NULL,
    n smallint NOT NULL,
    round smallint NOT NULL,
    number smallint NOT NULL,
    role text NOT NULL,
    blind boolean NOT NULL,
    prompt text NOT NULL,
    prompt_version smallint NOT NULL,
    prompt_hash text NOT NULL,
    system_text text NOT NULL,
    user_text text NOT NULL,
    schema jsonb,
    most_tokens integer NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'answered', 'declined', 'withdrawn')),
    checked text CHECK (checked IN ('self-judged', 'independent')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, run_id, node, task, n),
    UNIQUE (owner, run_id, round, number),
    FOREIGN KEY (owner, run_id) REFERENCES runs (owner, id) ON DELETE CASCADE
)
"""


def upgrade() -> None:
    """Add the table of questions and the states of a run that has some."""
    op.execute("ALTER TABLE runs DROP CONSTRAINT runs_status_check")
    op.execute(f"ALTER TABLE runs ADD CONSTRAINT runs_status_check CHECK (status IN ({STATUSES}))")
    op.execute("CREATE INDEX runs_waiting ON runs (owner, created_at) WHERE status = 'waiting'")
    op.execute(QUESTIONS)
    for statement in shut("questions", OWNER):
        op.execute(statement)
