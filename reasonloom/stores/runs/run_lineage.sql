-- name: steps
SELECT CAST(c.checkpoint ->> 'ts' AS timestamptz),
    array_remove(array_agg(DISTINCT w.task_path), NULL)
FROM checkpoints c LEFT JOIN checkpoint_writes w ON w.thread_id = c.thread_id
    AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
WHERE c.thread_id = :thread AND c.checkpoint_ns = ''
GROUP BY c.checkpoint_id, c.checkpoint ->> 'ts' ORDER BY c.checkpoint_id LIMIT 400

-- name: memories_of_run
-- types: run uuid
WITH named AS (
    SELECT DISTINCT substring(value #>> '{}' FROM 5)::bigint AS id
    FROM runs r, jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")') AS said (value)
    WHERE r.owner = :owner AND r.id = :run AND value #>> '{}' ~ '^mem-[0-9]{1,18}$'
)
SELECT m.id, m.sector, left(m.content, {{ longest }}), m.run_id = :run AS made FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.source_kind <> 'transcript'
    AND (m.run_id = :run OR m.id IN (SELECT id FROM named))
ORDER BY m.id LIMIT 100
