-- fragment: subject
coalesce(input ->> 'content', input ->> 'text', input ->> 'query', input ->> 'problem',
    input ->> 'thought', input ->> 'claim', input ->> 'message', input ->> 'name', '')

-- fragment: chosen
owner = :owner AND space = :space AND (:tool = '' OR tool = :tool)
    AND (:status = '' OR status = :status)
    AND (:words = '' OR position(lower(:words) IN lower({{ subject }})) > 0)

-- name: page
SELECT r.id, r.tool, r.status, r.llm, r.session_id, r.created_at, r.latency_ms,
    r.fork ->> 'origin', left(r.subject, {{ longest }}), c.calls, c.tokens, c.usd
FROM (SELECT *, {{ subject }} AS subject FROM runs WHERE {{ chosen }} ORDER BY created_at DESC, id LIMIT :size OFFSET :skip) r
LEFT JOIN LATERAL (SELECT count(*) AS calls, sum(tokens_in + tokens_out) AS tokens,
    sum(cost_usd) AS usd FROM llm_calls c WHERE c.owner = r.owner AND c.run_id = r.id) c ON true
ORDER BY r.created_at DESC, r.id

-- name: of_tools
-- types: after uuid, tools text[]
SELECT {{ run_columns }} FROM runs r
WHERE r.owner = :owner AND r.tool = ANY(:tools)
    AND r.created_at >= coalesce(CAST(:since AS timestamptz), '-infinity')
    AND (:after IS NULL OR (r.created_at, r.id) < (
        SELECT last.created_at, last.id FROM runs last WHERE last.owner = :owner AND last.id = :after))
ORDER BY r.created_at DESC, r.id DESC LIMIT :limit

-- name: count
SELECT count(*) FROM runs WHERE {{ chosen }}

-- name: totals
SELECT tool, status, count(*) FROM runs WHERE owner = :owner AND space = :space
GROUP BY tool, status ORDER BY tool, status

-- name: usage
SELECT (c.created_at AT TIME ZONE 'UTC')::date, count(*), sum(c.tokens_in + c.tokens_out),
    sum(c.cost_usd)
FROM llm_calls c JOIN runs r ON r.owner = c.owner AND r.id = c.run_id
WHERE c.owner = :owner AND r.space = :space
    AND c.created_at >= date_trunc('day', now()) - make_interval(days => :days - 1)
GROUP BY 1 ORDER BY 1

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
