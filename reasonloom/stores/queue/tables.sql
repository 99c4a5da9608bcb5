-- name: create
CREATE SCHEMA reasonloom_queue;
CREATE TABLE reasonloom_queue.step (single boolean PRIMARY KEY CHECK (single), name text NOT NULL);

-- name: failures
-- Why a job failed last: the type of the error, never its message.
CREATE TABLE failures (
    job_id bigint PRIMARY KEY REFERENCES procrastinate_jobs (id) ON DELETE CASCADE,
    reason text NOT NULL
)

-- name: note
INSERT INTO step VALUES (true, %s) ON CONFLICT (single) DO UPDATE SET name = excluded.name

-- name: tables
-- `step` has no rows of owners, and is read without the queue's setting.
SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'
    AND relname <> 'step'

-- name: grant
GRANT USAGE ON SCHEMA reasonloom_queue TO reasonloom_app;
GRANT SELECT ON step TO reasonloom_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA reasonloom_queue TO reasonloom_app;
