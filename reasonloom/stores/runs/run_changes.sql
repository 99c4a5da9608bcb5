-- name: versions
-- types: runs uuid[]
SELECT r.id, r.status, r.finished_at,
    (SELECT count(*) FROM llm_calls c WHERE c.owner = r.owner AND c.run_id = r.id) AS calls,
    (SELECT max(k.checkpoint_id) FROM checkpoints k
        WHERE k.thread_id = r.owner || '/' || r.id AND k.checkpoint_ns = '') AS step
FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.id = ANY(:runs)
