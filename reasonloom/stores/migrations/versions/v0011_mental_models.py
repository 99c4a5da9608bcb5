"""Mental models: their basins in order, what they predict on what, what came of it, revisions.

A model keeps the number of a basin that is gone, so that it can be told what it lacks. Figures of
resolved predictions stand with the model: a list of models counts nothing.
"""

from alembic import op

from reasonloom.stores.migrations.rls import OWNER, shut

revision = "0011"
down_revision = "0010"

MODELS = """
CREATE TABLE models (
    owner text NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    domain text NOT NULL CHECK (domain IN ('user', 'self', 'world', 'task_specific')),
    description text NOT NULL DEFAULT '',
    status text NOT NULL CHECK (status IN ('draft', 'active', 'deprecated')),
    version integer NOT NULL DEFAULT 1,
    resolved bigint NOT NULL DEFAULT 0,
    correct bigint NOT NULL DEFAULT 0,
    squared_error double precision NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, id),
    UNIQUE (owner, name)
)
"""
MODEL_BASINS = """
CREATE TABLE model_basins (
    owner text NOT NULL,
    model uuid NOT NULL,
    basin uuid NOT NULL,
    position integer NOT NULL,
    PRIMARY KEY (owner, model, basin),
    FOREIGN KEY (owner, model) REFERENCES models (owner, id) ON DELETE CASCADE
)
"""
MODEL_TEMPLATES = """
CREATE TABLE model_templates (
    owner text NOT NULL,
    model uuid NOT NULL,
    number integer NOT NULL,
    trigger text NOT NULL,
    predict text NOT NULL,
    suggest text,
    PRIMARY KEY (owner, model, number),
    FOREIGN KEY (owner, model) REFERENCES models (owner, id) ON DELETE CASCADE
)
"""
PREDICTIONS = """
CREATE TABLE predictions (
    owner text NOT NULL,
    id uuid NOT NULL,
    model uuid NOT NULL,
    template integer NOT NULL,
    content text NOT NULL,
    suggest text,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    context text NOT NULL,
    likeness double precision NOT NULL,
    matched_by text NOT NULL,
    basin uuid,
    vector halfvec,
    embedder text,
    version integer NOT NULL,
    tool text NOT NULL,
    made_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    observation text,
    correct boolean,
    judged_by text,
    resolved_at timestamptz,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, model) REFERENCES models (owner, id) ON DELETE CASCADE,
    CHECK ((resolved_at IS NULL) = (correct IS NULL))
)
"""
MODEL_REVISIONS = """
CREATE TABLE model_revisions (
    owner text NOT NULL,
    id uuid NOT NULL,
    model uuid NOT NULL,
    version integer NOT NULL,
    trigger text NOT NULL,
    added uuid[] NOT NULL,
    removed uuid[] NOT NULL,
    accuracy_before double precision NOT NULL,
    accuracy_after double precision NOT NULL,
    tested bigint NOT NULL,
    client text,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, model, version),
    FOREIGN KEY (owner, model) REFERENCES models (owner, id) ON DELETE CASCADE
)
"""
INDEXES = (
    "CREATE INDEX models_by_time ON models (owner, created_at, id)",
    "CREATE INDEX predictions_by_model ON predictions (owner, model, made_at, id)",
)


def upgrade() -> None:
    """Add the tables and their indexes."""
    for statement in (
        MODELS, MODEL_BASINS, MODEL_TEMPLATES, PREDICTIONS, MODEL_REVISIONS, *INDEXES,
    ):  # fmt: skip
        op.execute(statement)
    for table in ("models", "model_basins", "model_templates", "predictions", "model_revisions"):
        for statement in shut(table, OWNER):
            op.execute(statement)
