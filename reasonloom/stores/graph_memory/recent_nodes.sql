-- name: last_nodes
-- types: session uuid
SELECT m.id FROM memories m WHERE {{ current_nodes }} AND m.session_id = :session
ORDER BY m.id DESC LIMIT :most

-- name: last_session
-- types: other uuid
SELECT session_id FROM unnest(CAST(:types AS text[])) AS kind (name), LATERAL (
    SELECT m.id, m.session_id FROM memories m
    WHERE {{ visible_nodes }} AND {{ of_project }} AND m.event_type = kind.name
        AND m.session_id <> :other
    {{ newest_first }} LIMIT 1) newest
ORDER BY id DESC LIMIT 1

-- name: last_episode
SELECT m.id FROM sessions s JOIN memories m ON m.owner = s.owner AND m.id = s.episode_id
WHERE s.owner = :owner AND s.space = :space AND s.episode_id IS NOT NULL
    AND {{ visible_nodes }} AND {{ of_project }}
ORDER BY m.id DESC LIMIT 1

-- name: weighed
WITH about AS (
    SELECT avg(e.embedding) AS middle FROM embeddings e
    WHERE e.owner = :owner AND e.memory_id = ANY(:about) AND e.model = :model
        AND e.sectors & {{ semantic }} <> 0
), newest AS (
    SELECT m.* FROM unnest(CAST(:types AS text[])) AS kind (name), LATERAL (
        SELECT m.* FROM memories m
        WHERE {{ current_nodes }} AND {{ of_project }} AND m.event_type = kind.name
        {{ newest_first }} LIMIT :pool) m
), weighed AS (
    SELECT m.*, coalesce((SELECT greatest(0, 1 - (e.embedding <=> about.middle))
        FROM embeddings e, about WHERE e.owner = :owner AND e.memory_id = m.id
            AND e.model = :model AND e.sectors & {{ semantic }} <> 0), 0) AS relevance,
        power(0.5, greatest(0, extract(epoch FROM :now - m.created_at)) / 86400 / :half_life)
            AS recency
    FROM newest m
)
SELECT {{ node_columns }} FROM weighed m
ORDER BY m.confidence * ({{ weights }}) DESC, m.id DESC LIMIT :most
