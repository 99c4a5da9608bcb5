-- name: renew_leases
WITH renewed AS (
    UPDATE leases SET until = clock_timestamp() + make_interval(secs => :seconds)
    WHERE holder = :holder AND run_id = ANY(:runs))
SELECT run_id FROM leases WHERE holder = '{{ nobody }}' AND run_id = ANY(:runs)

-- name: leases
SELECT owner, run_id, until, clock_timestamp() AS now, holder = '{{ nobody }}' AS revoked
FROM leases ORDER BY until LIMIT :limit

-- name: revoke_lease
UPDATE leases SET holder = '{{ nobody }}' WHERE owner = :owner AND run_id = :run

-- name: end_lease
UPDATE leases SET until = clock_timestamp()
WHERE owner = :owner AND run_id = :run_id AND until = :until

-- name: release_lease
DELETE FROM leases WHERE owner = :owner AND run_id = :run

-- name: expire_lease
UPDATE leases SET until = clock_timestamp()
WHERE owner = :owner AND run_id = :run AND holder = :holder

-- name: answered_calls
-- types: session uuid
SELECT r.id, r.tool, r.created_at, c.node, c.prompt, c.prompt_version, left(c.reply ->> 'text', 400)
FROM runs r LEFT JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
WHERE r.owner = :owner AND r.space = :space AND r.status = 'running'
    AND r.created_at > now() - interval '1 day'
    AND (r.session_id = :session OR r.input ->> 'session_id' = CAST(:session AS text))
ORDER BY r.created_at, r.id, c.created_at LIMIT 200
