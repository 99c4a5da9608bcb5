-- fragment: facts
c.memory_id AS id, c.project, c.session, c.agent, c.at, c.started_at, c.ended_at, c.files, c.errors,
c.names, m.content

-- fragment: visible_chunks
m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = 'transcript'

-- name: by_id
SELECT {{ facts }} FROM chunks c JOIN memories m ON m.id = c.memory_id AND {{ visible_chunks }}
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[])) ORDER BY c.at, c.memory_id

-- name: before
SELECT session, id, ended FROM (
    SELECT DISTINCT ON (c.session) c.session, c.memory_id AS id, c.at,
        coalesce(c.ended_at, c.at) AS ended
    FROM (SELECT * FROM chunks WHERE owner = :owner AND project = :project AND forgotten IS NULL
            AND agent IS NULL AND session <> :session AND at <= :at
            ORDER BY at DESC, memory_id DESC LIMIT :read) c
    ORDER BY c.session, c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC) last
ORDER BY at DESC, id DESC LIMIT :most

-- name: first
SELECT DISTINCT ON (session) memory_id AS id FROM chunks
WHERE owner = :owner AND project = :project AND session = ANY(CAST(:sessions AS text[]))
    AND agent IS NULL AND forgotten IS NULL
ORDER BY session, at, first_turn, ordinal, memory_id

-- name: clear
DELETE FROM edges WHERE owner = :owner AND (
    (origin = 'cause' AND source_id = ANY(CAST(:ids AS bigint[])))
    OR (origin = 'continuation' AND target_id = ANY(CAST(:ids AS bigint[]))))

-- name: add
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, source, target, type, weight, origin, reason
FROM json_to_recordset(CAST(:rows AS json)) AS r
    (source bigint, target bigint, type text, weight float8, origin text, reason text)
ON CONFLICT (owner, source_id, target_id, type) DO NOTHING

-- name: between
-- A cause says more than an order.
SELECT DISTINCT ON (p.place) p.place, e.origin, e.reason
FROM unnest(CAST(:earlier AS bigint[]), CAST(:later AS bigint[])) WITH ORDINALITY
    AS p (earlier, later, place)
JOIN edges e ON e.owner = :owner AND (
    (e.source_id = p.later AND e.target_id = p.earlier AND e.type = 'caused_by')
    OR (e.source_id = p.earlier AND e.target_id = p.later AND e.type = 'temporal_next'))
ORDER BY p.place, e.type, e.weight DESC

-- name: edges
SELECT DISTINCT e.source_id, e.target_id, e.type, e.weight, e.origin, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS f (id) CROSS JOIN LATERAL (
    (SELECT source_id, target_id, type, weight, origin, reason FROM edges
    WHERE owner = :owner AND source_id = f.id AND origin = ANY(CAST(:origins AS text[]))
    ORDER BY weight DESC, target_id LIMIT :fan)
    UNION ALL (SELECT source_id, target_id, type, weight, origin, reason FROM edges
    WHERE owner = :owner AND target_id = f.id AND origin = ANY(CAST(:origins AS text[]))
    ORDER BY weight DESC, source_id LIMIT :fan)) e
ORDER BY e.source_id, e.target_id, e.type

-- name: chunks
SELECT c.memory_id AS id, c.project, c.session, c.agent, c.started_at, c.at, c.first_turn,
    c.ordinal, c.tokens, m.content, t.form
FROM chunks c JOIN memories m ON m.owner = :owner AND m.id = c.memory_id AND m.deleted_at IS NULL
JOIN transcripts t ON t.owner = :owner AND t.id = c.transcript
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[]))
