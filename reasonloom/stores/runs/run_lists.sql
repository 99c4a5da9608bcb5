-- fragment: chosen
owner = :owner AND space = :space AND (:tool = '' OR tool = :tool)
    AND (:status = '' OR status = :status)

-- name: page
SELECT r.id, r.tool, r.status, r.llm, r.session_id, r.created_at, r.latency_ms,
    r.fork ->> 'origin', c.calls, c.tokens, c.usd
FROM (SELECT * FROM runs WHERE {{ chosen }} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip) r
LEFT JOIN LATERAL (SELECT count(*) AS calls, sum(tokens_in + tokens_out) AS tokens,
    sum(cost_usd) AS usd FROM llm_calls c WHERE c.owner = r.owner AND c.run_id = r.id) c ON true
ORDER BY r.created_at DESC, r.id

-- name: count
SELECT count(*) FROM runs WHERE {{ chosen }}

-- name: tools
WITH RECURSIVE named AS (
    SELECT min(tool) AS tool FROM runs WHERE owner = :owner AND space = :space
    UNION ALL
    SELECT (SELECT min(tool) FROM runs r
        WHERE r.owner = :owner AND r.space = :space AND r.tool > named.tool)
    FROM named WHERE named.tool IS NOT NULL
)
SELECT tool FROM named WHERE tool IS NOT NULL

-- fragment: ponder_runs
owner = :owner AND space = :space
    AND (tool = 'ponder' OR tool = 'think' AND input ->> 'mode' = 'parallel')

-- name: ponder_page
SELECT id, status, llm, left(coalesce(input ->> 'problem', ''), {{ longest }}),
    jsonb_array_length(coalesce(output #> '{answer,insights}', '[]')),
    jsonb_array_length(coalesce(output #> '{answer,conflicts}', '[]')), created_at
FROM runs WHERE {{ ponder_runs }} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip

-- name: ponder_count
SELECT count(*) FROM runs WHERE {{ ponder_runs }}

-- name: last_monitored
SELECT created_at, output FROM runs
WHERE owner = :owner AND tool = :tool AND space = :space
    AND client IS NOT DISTINCT FROM CAST(:client AS text) AND status = 'done' AND fork IS NULL
    AND created_at < :before AND CAST(input ->> 'monitorContinuously' AS boolean)
ORDER BY created_at DESC LIMIT :limit
