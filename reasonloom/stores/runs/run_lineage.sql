-- name: steps
SELECT CAST(c.checkpoint ->> 'ts' AS timestamptz),
    ARRAY(SELECT jsonb_array_elements_text(c.metadata -> 'tasks')),
    ARRAY(
        SELECT DISTINCT w.task_path FROM checkpoint_writes w WHERE w.thread_id = c.thread_id
            AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
    )
FROM checkpoints c WHERE c.thread_id = :thread AND c.checkpoint_ns = ''
ORDER BY c.checkpoint_id LIMIT 400

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
