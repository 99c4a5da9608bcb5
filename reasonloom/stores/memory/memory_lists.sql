-- name: word_query
SELECT string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' & ')
FROM unnest(asked_words(:words)) AS asked (word)

-- name: read_one
SELECT {{ columns }}, s.external_name, c.session, c.project,
    EXISTS (SELECT FROM thoughts t WHERE t.owner = m.owner AND t.session_id = m.session_id)
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
LEFT JOIN chunks c ON c.owner = m.owner AND c.memory_id = m.id
WHERE m.owner = :owner AND m.space = :space AND m.id = :id

-- name: basins
SELECT b.id, b.name, k.strength FROM basin_members k
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
WHERE k.owner = :owner AND k.memory_id = :id ORDER BY k.strength DESC, b.name LIMIT 20

-- name: page
-- types: cluster uuid
SELECT m.id, left(m.content, {{ longest }}) || CASE WHEN length(m.content) > {{ longest }} THEN '…' ELSE '' END,
    m.sector, m.source_kind, m.project, m.strength,
    m.created_at, m.deleted_at IS NOT NULL, m.superseded_by
FROM memories m WHERE {{ where }} ORDER BY m.id DESC LIMIT :size OFFSET :skip

-- name: count
-- types: cluster uuid
SELECT count(*) FROM memories m WHERE {{ where }}
