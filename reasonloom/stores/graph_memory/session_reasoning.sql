-- fragment: in_session
-- Of sessions of one client and project that overlap, the one begun last has the thought.
m.owner = :owner AND m.space = :space AND m.id = :session
    AND t.created_at BETWEEN m.created_at AND coalesce(m.ended_at, 'infinity')
    AND t.llm <> :offline
    AND NOT EXISTS (SELECT FROM sessions o
        WHERE o.owner = m.owner AND o.space = m.space AND o.mode = m.mode
            AND o.client IS NOT DISTINCT FROM m.client
            AND o.project IS NOT DISTINCT FROM m.project AND o.created_at > m.created_at
            AND t.created_at BETWEEN o.created_at AND coalesce(o.ended_at, 'infinity'))

-- fragment: sessions_of_client
sessions m JOIN sessions s ON s.owner = m.owner AND s.space = m.space
    AND s.client IS NOT DISTINCT FROM m.client AND s.project IS NOT DISTINCT FROM m.project
    AND s.mode IS NOT NULL

-- fragment: given
SELECT CAST(substring(given.name FROM 5) AS bigint) AS id
FROM jsonb_array_elements_text(coalesce(r.output -> 'memories', '[]')) AS given (name)

-- fragment: not_forgotten
-- Neither what it was given nor what was kept of it: both may be hidden, and found again.
NOT coalesce(r.input ? 'redacted', false)
    AND NOT EXISTS (SELECT FROM ({{ given }}) used LEFT JOIN memories u
        ON u.owner = r.owner AND u.id = used.id AND u.deleted_at IS NULL WHERE u.id IS NULL)
    AND NOT EXISTS (SELECT FROM memories d WHERE d.owner = t.owner
        AND d.session_id = t.session_id AND d.run_id = t.run_id AND d.deleted_at IS NOT NULL)

-- fragment: memories
ARRAY(SELECT used.id FROM ({{ given }}) used UNION SELECT d.id FROM memories d
    WHERE d.owner = t.owner AND d.session_id = t.session_id AND d.run_id = t.run_id)

-- name: conclusions
-- types: session uuid
SELECT t.mode, left(t.input, :longest) AS question, left(t.content, :longest) AS content,
    t.confidence, t.created_at, {{ memories }} AS memories
FROM {{ sessions_of_client }}
JOIN branches b ON b.owner = s.owner AND b.id = coalesce(s.active_branch_id, s.id)
JOIN thoughts t ON t.owner = b.owner AND t.id = b.head_id
LEFT JOIN runs r ON r.owner = t.owner AND r.id = t.run_id
WHERE {{ in_session }} AND {{ not_forgotten }}
ORDER BY t.created_at DESC, t.id LIMIT :most

-- name: rejected
-- types: session uuid
-- Branches that were given up, that were left for another direction, or that a tree explored and
-- did not recommend.
SELECT t.mode, b.name, left(t.content, :longest) AS content,
    CAST(b.metadata ->> 'score' AS double precision) AS score, best.name AS better,
    left(r.output #>> '{answer,reason}', :longest) AS reason,
    left(turn.direction, :longest) AS direction, t.created_at, {{ memories }} AS memories
FROM {{ sessions_of_client }}
JOIN branches b ON b.owner = s.owner AND b.session_id = s.id
    AND b.id <> coalesce(s.active_branch_id, s.id)
JOIN thoughts t ON t.owner = b.owner AND t.id = b.head_id
LEFT JOIN runs r ON r.owner = t.owner AND r.id = t.run_id
LEFT JOIN branches best ON best.owner = b.owner AND best.session_id = b.session_id
    AND best.run_id = b.run_id AND best.priority > b.priority
LEFT JOIN LATERAL (
    SELECT n.input AS direction FROM branches c
    JOIN thoughts n ON n.owner = c.owner AND n.branch_id = c.id AND n.mode = 'backtracking'
    LEFT JOIN runs x ON x.owner = n.owner AND x.id = n.run_id
    WHERE c.owner = b.owner AND c.parent_id = b.id AND n.created_at > t.created_at
        AND n.parent_id IS DISTINCT FROM b.head_id AND NOT coalesce(x.input ? 'redacted', false)
    ORDER BY n.created_at DESC LIMIT 1) turn ON true
WHERE {{ in_session }} AND {{ not_forgotten }}
    AND (b.state = 'abandoned' OR turn.direction IS NOT NULL OR best.id IS NOT NULL)
ORDER BY t.created_at DESC, b.number LIMIT :most
