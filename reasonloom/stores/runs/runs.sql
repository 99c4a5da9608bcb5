-- fragment: insertion
INSERT INTO runs (owner, {{ columns }}) VALUES (:owner, {{ parameters }}) ON CONFLICT DO NOTHING

-- name: insert
-- types: id uuid, session_id uuid
-- types: input jsonb, output jsonb_or_null, error jsonb_or_null, fork jsonb_or_null
{{ insertion }}

-- name: open
-- types: id uuid, session_id uuid
-- types: input jsonb, output jsonb_or_null, error jsonb_or_null, fork jsonb_or_null
WITH begun AS ({{ insertion }} RETURNING id)
INSERT INTO leases (owner, run_id, holder, until)
SELECT :owner, id, :holder, clock_timestamp() + make_interval(secs => :seconds) FROM begun

-- name: close
-- types: id uuid, output jsonb_or_null, error jsonb_or_null, session_id uuid
-- Locks the run before its lease, as `take_up` does, so that neither waits for the other.
WITH held AS (SELECT id FROM runs WHERE owner = :owner AND id = :id FOR UPDATE),
    freed AS (DELETE FROM leases l USING held WHERE l.owner = :owner AND l.run_id = held.id)
UPDATE runs SET status = :status, output = :output, error = :error, llm = coalesce(:llm, llm),
    session_id = coalesce(:session_id, session_id), latency_ms = :latency_ms,
    finished_at = :finished_at
FROM held
WHERE owner = :owner AND runs.id = held.id AND status <> 'done'

-- name: take_up
-- types: id uuid
WITH held AS (SELECT id, status FROM runs WHERE owner = :owner AND id = :id FOR UPDATE),
    taken AS (
        INSERT INTO leases (owner, run_id, holder, until)
        SELECT :owner, id, :holder, clock_timestamp() + make_interval(secs => :seconds)
        FROM held WHERE status <> 'done'
        ON CONFLICT (owner, run_id) DO UPDATE SET holder = :holder, until = excluded.until
            WHERE leases.until < clock_timestamp()
        RETURNING run_id)
UPDATE runs SET status = 'running', error = NULL, latency_ms = NULL, finished_at = NULL
FROM taken WHERE owner = :owner AND runs.id = taken.run_id

-- name: daily_use
-- Sums from the newest run on: while the run at which a sum reaches its limit is less than a day
-- old, the limit is reached; the runs after it are below the limit.
WITH day AS (
    SELECT r.created_at AS begun, sum(c.tokens_in + c.tokens_out) AS tokens,
        coalesce(sum(c.cost_usd), 0) AS usd
    FROM runs r JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
    WHERE r.owner = :owner AND r.created_at > :since GROUP BY r.id, r.created_at),
summed AS (
    SELECT begun, sum(tokens) OVER newest AS tokens, sum(usd) OVER newest AS usd
    FROM day WINDOW newest AS (ORDER BY begun DESC))
SELECT coalesce(max(tokens), 0), coalesce(max(usd), 0),
    max(begun) FILTER (WHERE tokens >= CAST(:tokens AS bigint)),
    max(begun) FILTER (WHERE usd >= CAST(:usd AS double precision))
FROM summed

-- name: end_unfinished
-- types: id uuid, error jsonb_or_null
UPDATE runs SET status = :status, error = :error, finished_at = :at
WHERE owner = :owner AND id = :id AND status = :expected

-- name: find
-- types: id uuid
SELECT {{ columns }} FROM runs WHERE owner = :owner AND id = :id

-- name: find_by_key
SELECT {{ columns }} FROM runs WHERE owner = :owner AND tool = :tool AND key = :key

-- name: newest
SELECT {{ columns }} FROM runs WHERE owner = :owner ORDER BY created_at DESC LIMIT :limit

-- name: spent
-- types: id uuid
SELECT count(*) AS calls, coalesce(sum(tokens_in + tokens_out), 0) AS tokens,
    coalesce(sum(cost_usd), 0) AS usd
FROM llm_calls WHERE owner = :owner AND run_id = :id

-- name: calls
-- types: runs uuid[]
SELECT owner, run_id, node, task, n, prompt, prompt_version, prompt_hash, llm, model, reply,
    tokens_in, tokens_out, tokens_estimated, cost_usd, attempts, latency_ms, messages, created_at
FROM llm_calls WHERE owner = :owner AND run_id = ANY(:runs) ORDER BY created_at
