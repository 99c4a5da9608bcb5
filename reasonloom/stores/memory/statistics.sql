-- fragment: here
-- Past conversations are counted by `history`, and are never weak, unread or too many here.
m.owner = :owner AND m.space = :space AND m.source_kind <> 'transcript'

-- fragment: seen
{{ here }} AND m.deleted_at IS NULL

-- fragment: age
CASE {{ age_cases }} ELSE '{{ oldest }}' END

-- name: groups
SELECT m.sector, m.source_kind, {{ age }} AS age, count(*) AS memories,
    count(*) FILTER (WHERE m.strength < {{ weak }}) AS weak,
    count(*) FILTER (WHERE m.access_count = 0) AS never_read
FROM memories m WHERE {{ seen }} GROUP BY 1, 2, 3

-- name: totals
SELECT (SELECT count(*) FROM memories m WHERE {{ here }} AND m.deleted_at IS NOT NULL) AS hidden,
    (SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space) AS sessions,
    (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m WHERE {{ here }})
        + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM embeddings e JOIN memories m
            ON m.owner = e.owner AND m.id = e.memory_id WHERE {{ here }} AND e.owner = :owner)
        + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM edges e JOIN memories m
            ON m.owner = e.owner AND m.id = e.source_id WHERE {{ here }} AND e.owner = :owner)
        AS bytes

-- name: links
SELECT e.type, count(*) AS links FROM edges e JOIN memories m
    ON m.owner = e.owner AND m.id = e.source_id
    JOIN memories t ON t.owner = e.owner AND t.id = e.target_id
WHERE e.owner = :owner AND {{ seen }} AND t.deleted_at IS NULL GROUP BY 1 ORDER BY 1

-- name: vectors
SELECT found.models[1] AS model, count(*) AS memories FROM memories m, LATERAL (
    SELECT array_agg(DISTINCT e.model ORDER BY e.model) AS models,
        coalesce(bool_or(e.model = :model), false) AS ours
    FROM embeddings e WHERE e.owner = :owner AND e.memory_id = m.id) found
WHERE {{ seen }} AND NOT found.ours GROUP BY 1

-- name: duplicates
SELECT count(*) AS contents, coalesce(sum(alike - 1), 0) AS surplus FROM (
    SELECT count(*) AS alike FROM memories m WHERE {{ seen }} GROUP BY m.content_key
    HAVING count(*) > 1) twice

-- fragment: summary
m.id, left(m.content, {{ excerpt }}) AS excerpt, m.sector, m.created_at, m.strength,
    m.token_count, m.importance, m.access_count

-- name: large
SELECT {{ summary }} FROM memories m WHERE {{ seen }} ORDER BY m.token_count DESC,
    m.id LIMIT {{ largest }}

-- name: page
SELECT {{ summary }} FROM memories m WHERE {{ seen }} AND m.id > :after ORDER BY m.id LIMIT :size

-- name: count
SELECT count(*) AS memories FROM memories m WHERE {{ seen }}

-- fragment: prune_criteria
{{ seen }} AND m.strength <= :strength AND m.created_at < :before
    AND m.last_accessed < :before AND m.access_count <= :accesses
    AND m.importance < {{ important }} AND m.salience < {{ important }}
    AND (CAST(:sector AS text) IS NULL OR m.sector = :sector)
    AND NOT EXISTS (SELECT FROM items i WHERE i.owner = m.owner AND i.memory_id = m.id)

-- name: prunable
SELECT {{ summary }}, count(*) OVER () AS matching FROM memories m WHERE {{ prune_criteria }}
ORDER BY m.strength, m.id LIMIT :size

-- name: prune
WITH faded AS (SELECT m.id FROM memories m WHERE {{ prune_criteria }} AND m.id = ANY(:ids)
    ORDER BY m.id FOR NO KEY UPDATE OF m)
UPDATE memories SET deleted_at = :at FROM faded
WHERE owner = :owner AND memories.id = faded.id RETURNING memories.id

-- name: written_by
-- By when it was stored: an imported memory is older than its import.
SELECT m.id, coalesce(r.created_at, m.created_at) AS stored_at, m.tool,
    coalesce(r.client, m.principal) AS writer, left(m.content, {{ excerpt }}) AS excerpt
FROM memories m LEFT JOIN runs r ON r.owner = m.owner AND r.id = m.run_id
    LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND (:hidden OR m.deleted_at IS NULL)
    AND :writer IN (m.principal, m.tool, r.client)
    AND coalesce(r.created_at, m.created_at) >= :since
    AND (CAST(:until AS timestamptz) IS NULL OR coalesce(r.created_at, m.created_at) <= :until)
    AND (CAST(:tool AS text) IS NULL OR m.tool = :tool)
    AND (CAST(:session AS text) IS NULL OR :session IN (s.external_name, CAST(s.id AS text)))
    AND (CAST(:run AS text) IS NULL OR CAST(m.run_id AS text) = :run)
ORDER BY m.id

-- name: written_in
SELECT id FROM memories WHERE owner = :owner AND space = :space AND principal = :person ORDER BY id

-- name: derived
SELECT m.id, m.created_at AS stored_at, m.tool, m.principal AS writer,
    left(m.content, {{ excerpt }}) AS excerpt
FROM memories m WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND NOT m.id = ANY(:ids) AND EXISTS (SELECT FROM edges e WHERE e.owner = :owner
        AND e.source_id = m.id AND e.type = 'derived_from' AND e.target_id = ANY(:ids))
ORDER BY m.id

-- name: spaces
SELECT space FROM spaces WHERE owner = :owner ORDER BY space LIMIT :most

-- name: oldest
SELECT min(m.valid_from) AS moment FROM memories m WHERE m.owner = :owner AND m.space = :space
    AND m.deleted_at IS NULL AND (m.source_kind = 'transcript') = :transcripts

-- name: space_exists
SELECT EXISTS (SELECT FROM spaces WHERE owner = :owner AND space = :space) AS found
