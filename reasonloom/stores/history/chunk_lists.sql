-- name: projects
SELECT p.slug, p.path, kept.sessions, kept.chunks, kept.tokens, kept.first, kept.last
FROM (SELECT project, count(*) AS sessions, CAST(sum(chunks) AS bigint) AS chunks,
        CAST(sum(tokens) AS bigint) AS tokens, min(first) AS first, max(last) AS last,
        max(at) AS at
    FROM (SELECT c.project, count(*) AS chunks, sum(c.tokens) AS tokens,
            min(c.started_at) AS first, max(coalesce(c.ended_at, c.started_at)) AS last,
            max(c.at) AS at
        FROM chunks c WHERE {{ seen }} GROUP BY c.project, c.session) each_session
    GROUP BY project) kept
JOIN projects p ON p.owner = :owner AND p.slug = kept.project
ORDER BY kept.at DESC, p.slug

-- name: sessions
SELECT c.session, min(c.started_at) AS started_at,
    max(coalesce(c.ended_at, c.started_at)) AS ended_at,
    count(*) AS chunks, CAST(sum(c.tokens) AS bigint) AS tokens,
    count(*) FILTER (WHERE (CAST(:since AS timestamptz) IS NULL OR c.at >= :since)
        AND (CAST(:until AS timestamptz) IS NULL OR c.at < :until)) AS within,
    (SELECT t.form FROM chunks f JOIN transcripts t ON t.owner = :owner AND t.id = f.transcript
        WHERE f.owner = :owner AND f.session = c.session AND f.project = :project
        AND f.forgotten IS NULL ORDER BY f.at, f.memory_id LIMIT 1) AS form
FROM chunks c WHERE {{ seen }} AND c.project = :project
GROUP BY c.session ORDER BY min(c.at) DESC, c.session

-- name: known
SELECT p.slug FROM projects p WHERE p.owner = :owner AND p.slug = :slug AND EXISTS (
    SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug AND c.forgotten IS NULL)

-- name: slugs
SELECT p.slug FROM projects p WHERE p.owner = :owner AND EXISTS (
    SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug AND c.forgotten IS NULL)
ORDER BY p.slug LIMIT 10000

-- name: beginning
SELECT c.session, min(c.at) AS at FROM chunks c
WHERE {{ seen }} AND c.session LIKE :beginning AND c.project = :project
GROUP BY c.session ORDER BY c.session = :whole DESC, c.session LIMIT :most

-- name: begun
SELECT min(c.at) AS at FROM chunks c
WHERE {{ seen }} AND c.session = :current AND c.project = :project

-- name: before
SELECT c.session FROM chunks c WHERE {{ seen }} AND c.project = :project
    AND (CAST(:current AS text) IS NULL OR c.session <> :current)
GROUP BY c.session
HAVING CAST(:at AS timestamptz) IS NULL OR min(c.at) <= :at
ORDER BY min(c.at) DESC, c.session DESC LIMIT 1

-- name: count
SELECT count(*) FROM chunks c WHERE {{ seen }} AND {{ within }}

-- name: in_time
SELECT m.id, c.project, c.session, c.agent, c.started_at AS time, c.tokens, m.content, t.form
FROM (SELECT c.memory_id FROM chunks c WHERE {{ seen }} AND {{ within }}
    ORDER BY c.at {{ order }}, c.memory_id {{ order }} LIMIT :most) picked
JOIN chunks c ON c.owner = :owner AND c.memory_id = picked.memory_id
JOIN memories m ON m.owner = :owner AND m.id = picked.memory_id AND m.deleted_at IS NULL
JOIN transcripts t ON t.owner = :owner AND t.id = c.transcript
ORDER BY c.at, c.session, c.first_turn, c.ordinal, m.id

-- name: outlined
SELECT m.id, c.started_at AS time, c.agent, c.tokens, c.files, c.errors, m.content
FROM chunks c JOIN memories m ON m.owner = :owner AND m.id = c.memory_id AND m.deleted_at IS NULL
WHERE {{ seen }} AND c.project = :project AND c.session = :session
ORDER BY c.at DESC, c.first_turn DESC, c.ordinal DESC, m.id DESC LIMIT :most

-- name: places
SELECT c.memory_id, c.session, c.agent, c.started_at, c.tokens, c.project FROM chunks c
WHERE c.owner = :owner AND c.memory_id = ANY(:ids) AND c.forgotten IS NULL

-- name: edges
WITH unseen AS MATERIALIZED (
    SELECT memory_id FROM chunks WHERE owner = :owner AND forgotten IS NOT NULL
)
SELECT count(*) FROM edges e WHERE e.owner = :owner
    AND e.origin IN ('sequence', 'brief', 'debrief', 'continuation', 'cause')
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.memory_id = e.source_id)
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.memory_id = e.target_id)

-- name: clusters
SELECT count(*) FROM basins b WHERE b.owner = :owner AND EXISTS (
    SELECT FROM basin_members m JOIN chunks c ON c.owner = :owner AND c.memory_id = m.memory_id
    WHERE m.owner = :owner AND m.basin = b.id AND c.forgotten IS NULL)
