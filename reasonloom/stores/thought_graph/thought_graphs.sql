-- name: create
-- types: id uuid, session_id uuid, run_id uuid, metadata jsonb
INSERT INTO thought_graphs (owner, id, session_id, number, problem, max_depth, max_branches,
    prune_threshold, run_id, metadata)
SELECT :owner, :id, :session_id, coalesce(max(number), 0) + 1, :problem, :max_depth,
    :max_branches, :prune_threshold, :run_id, :metadata
FROM thought_graphs WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING

-- fragment: of_space
FROM thought_graphs g JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
WHERE g.owner = :owner AND s.space = :space

-- name: page
SELECT g.id, s.number, g.number, left(g.problem, {{ longest }}), g.finalized_at IS NOT NULL,
    g.updated_at, n.nodes, n.pruned, n.best
FROM (SELECT g.* {{ of_space }} ORDER BY g.updated_at DESC, g.id LIMIT :size OFFSET :skip) g
JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
LEFT JOIN LATERAL (SELECT count(*) AS nodes, count(n.pruning_id) AS pruned, max(n.score) AS best
    FROM graph_nodes n WHERE n.owner = g.owner AND n.graph_id = g.id) n ON true
ORDER BY g.updated_at DESC, g.id

-- name: count
SELECT count(*) {{ of_space }}

-- name: find
-- types: id uuid
SELECT {{ columns }} {{ of_space }} AND g.id = :id

-- name: hold
-- types: id uuid
UPDATE thought_graphs SET updated_at = clock_timestamp() WHERE owner = :owner AND id = :id

-- name: newest
SELECT {{ columns }} {{ of_space }} ORDER BY g.updated_at DESC LIMIT :limit

-- name: close
-- types: id uuid, conclusion uuid
UPDATE thought_graphs SET conclusion_id = :conclusion, finalized_at = clock_timestamp()
WHERE owner = :owner AND id = :id
