-- name: insert
-- types: run_id uuid, schema jsonb_or_null
INSERT INTO questions (owner, {{ key }}, {{ columns }})
VALUES (:owner, {{ key_parameters }}, {{ parameters }})
ON CONFLICT (owner, {{ key }}) DO UPDATE SET (round, number, system_text, user_text, status)
    = (excluded.round, excluded.number, excluded.system_text, excluded.user_text, excluded.status)

-- name: suspend
-- types: run uuid
WITH freed AS (DELETE FROM leases WHERE owner = :owner AND run_id = :run)
UPDATE runs SET status = 'waiting', latency_ms = :worked WHERE owner = :owner AND id = :run

-- name: count_waiting
SELECT count(*) AS waiting FROM runs WHERE owner = :owner AND status = 'waiting'

-- name: waiting_runs
SELECT r.id, r.tool, left(coalesce(r.input ->> 'content', r.input ->> 'problem',
        r.input ->> 'reasoning', r.input ->> 'claim', ''), 200), max(q.round), count(*) FILTER (WHERE q.status = 'open'), max(q.created_at)
FROM runs r JOIN questions q ON q.owner = r.owner AND q.run_id = r.id
WHERE r.owner = :owner AND r.space = :space AND r.status = 'waiting'
GROUP BY r.owner, r.id, r.tool, r.input ORDER BY max(q.created_at)

-- name: of_run
-- types: run uuid
SELECT {{ key }}, {{ columns }} FROM questions WHERE owner = :owner AND run_id = :run
ORDER BY round, number

-- name: settle
-- types: run_id uuid
UPDATE questions SET status = :status, checked = :checked, system_text = '', user_text = ''
WHERE owner = :owner AND run_id = :run_id AND node = :node AND task = :task AND n = :n

-- name: lock_run
-- types: run uuid
SELECT {{ run_columns }} FROM runs WHERE owner = :owner AND id = :run FOR UPDATE

-- name: abandon
UPDATE runs r SET status = 'abandoned', finished_at = :at
WHERE r.owner = :owner AND r.status = 'waiting' AND NOT EXISTS (SELECT FROM questions q
    WHERE q.owner = r.owner AND q.run_id = r.id AND q.created_at >= :before)
