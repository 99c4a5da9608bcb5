-- name: touched
SELECT r.id FROM runs r WHERE r.owner = :owner AND (
    r.id IN (SELECT m.run_id FROM memories m WHERE m.owner = :owner AND m.id = ANY(:memories))
    OR r.output -> 'memories' ?| :names
    OR EXISTS (SELECT FROM jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")')
        AS said (value) WHERE value #>> '{}' = ANY(:names))
    OR r.tool NOT LIKE :of_files AND concat(r.input, r.output) ~ :nodes
    OR r.graph = 'session_end' AND r.session_id IN (SELECT m.session_id FROM memories m
        WHERE m.owner = :owner AND m.id = ANY(:memories)))

-- name: past
-- As above for chunks of past conversations, of which there may be very many: graph memory and
-- the memory files of workspaces never hold their numbers.
SELECT r.id FROM runs r WHERE r.owner = :owner AND (
    r.output -> 'memories' ?| :names
    OR EXISTS (SELECT FROM jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")')
        AS said (value) WHERE value #>> '{}' = ANY(:names))
    OR r.id IN (SELECT m.run_id FROM memories m WHERE m.owner = :owner AND m.id = ANY(:memories)
        AND m.run_id IS NOT NULL))

-- name: quoted
-- Also by a question that was answered before: its reply may say what the memory says.
SELECT DISTINCT q.run_id FROM questions q
    JOIN memories m ON m.owner = q.owner AND m.id = ANY(:memories)
WHERE q.owner = :owner AND q.status = 'open' AND (
    position(left(m.content, 200) IN q.user_text) > 0
    OR EXISTS (SELECT FROM llm_calls c, jsonb_array_elements(c.messages) AS asked (message)
        WHERE c.owner = q.owner AND c.run_id = q.run_id
            AND position(left(m.content, 200) IN message ->> 'content') > 0))

-- name: drop_quoting
-- types: runs uuid[]
DELETE FROM llm_calls c USING memories m
WHERE c.owner = :owner AND c.run_id = ANY(:runs) AND m.owner = :owner AND m.id = ANY(:memories)
    AND EXISTS (SELECT FROM jsonb_array_elements(c.messages) AS asked (message)
        WHERE position(left(m.content, 200) IN message ->> 'content') > 0)

-- name: withdraw
-- types: runs uuid[]
UPDATE questions SET status = 'withdrawn', system_text = '', user_text = ''
WHERE owner = :owner AND run_id = ANY(:runs) AND status = 'open'

-- name: runs
-- types: runs uuid[]
UPDATE runs SET input = '{"redacted": true}',
    output = CASE WHEN output IS NULL THEN NULL ELSE CAST('{"redacted": true}' AS jsonb) END
WHERE owner = :owner AND id = ANY(:runs)

-- name: replies
-- types: runs uuid[]
UPDATE llm_calls SET reply = '{"redacted": true}', messages = NULL
WHERE owner = :owner AND run_id = ANY(:runs)

-- name: shared
SELECT redact_shared(CAST(:memories AS bigint[]), :address)

-- name: old
SELECT r.id FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.finished_at < :before
    AND EXISTS (SELECT FROM checkpoints c WHERE c.thread_id = concat(r.owner, '/', r.id))
ORDER BY r.finished_at, r.id LIMIT :size

-- name: prompts
-- types: runs uuid[]
UPDATE llm_calls SET messages = NULL WHERE owner = :owner AND run_id = ANY(:runs)

-- name: drop_checkpoints
DELETE FROM checkpoints WHERE thread_id = ANY(:threads)

-- name: drop_blobs
DELETE FROM checkpoint_blobs WHERE thread_id = ANY(:threads)

-- name: drop_writes
DELETE FROM checkpoint_writes WHERE thread_id = ANY(:threads)
