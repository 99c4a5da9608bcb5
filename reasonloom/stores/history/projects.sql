-- name: add
INSERT INTO projects (owner, slug, path) VALUES (:owner, :slug, :path) ON CONFLICT DO NOTHING

-- fragment: seen
c.owner = :owner AND c.project = :project AND c.forgotten IS NULL

-- name: slug
SELECT slug FROM projects WHERE owner = :owner AND path = ANY(:paths) LIMIT 1

-- name: of_session
SELECT c.project FROM chunks c WHERE c.owner = :owner AND c.session = :session
    AND c.forgotten IS NULL ORDER BY c.at DESC, c.memory_id DESC LIMIT 1

-- name: newest
SELECT c.session, c.agent, c.at, coalesce(c.ended_at, c.at) AS ended_at, c.files, c.errors,
    left(m.content, :longest) AS content
FROM chunks c JOIN memories m ON m.owner = c.owner AND m.id = c.memory_id
WHERE {{ seen }} AND m.deleted_at IS NULL
ORDER BY c.at DESC, c.first_turn DESC, c.ordinal DESC, c.memory_id DESC LIMIT :limit

-- name: clusters
SELECT b.name FROM (SELECT c.memory_id FROM chunks c WHERE {{ seen }}
    ORDER BY c.at DESC, c.memory_id DESC LIMIT :limit) c
JOIN basin_members k ON k.owner = :owner AND k.memory_id = c.memory_id
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
GROUP BY b.id, b.name ORDER BY count(*) DESC, b.name LIMIT :most

-- name: of_path
SELECT slug FROM projects WHERE owner = :owner AND path IS NOT DISTINCT FROM CAST(:path AS text)

-- name: projects
SELECT slug, path FROM projects WHERE owner = :owner ORDER BY slug
