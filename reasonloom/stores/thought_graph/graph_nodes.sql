-- name: create
-- types: id uuid, graph_id uuid, run_id uuid
INSERT INTO graph_prunings (owner, id, graph_id, number, threshold, run_id)
SELECT :owner, :id, :graph_id, coalesce(max(number), 0) + 1, :threshold, :run_id
FROM graph_prunings WHERE owner = :owner AND graph_id = :graph_id
ON CONFLICT (owner, id) DO NOTHING

-- name: last_number
-- types: graph uuid
SELECT coalesce(max(number), 0) AS last FROM graph_nodes WHERE owner = :owner AND graph_id = :graph

-- name: add
INSERT INTO graph_nodes (owner, id, graph_id, number, node_type, content, depth, confidence, score,
    parts, "check", llm, run_id, metadata)
SELECT :owner, id, graph_id, number, node_type, content, depth, confidence, score, parts, "check",
    llm, run_id, metadata
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, graph_id uuid, number int,
    node_type text, content text, depth int, confidence float8, score float8, parts jsonb,
    "check" text, llm text, run_id uuid, metadata jsonb)
ORDER BY number ON CONFLICT DO NOTHING

-- name: of_graph
-- types: graph uuid
SELECT {{ columns }} FROM graph_nodes
WHERE owner = :owner AND graph_id = :graph ORDER BY number

-- name: set_score
-- types: id uuid, parts jsonb
UPDATE graph_nodes SET score = :score, parts = :parts, "check" = :check,
    node_type = coalesce(CAST(:node_type AS text), node_type)
WHERE owner = :owner AND id = :id

-- name: set_replaced
-- types: id uuid, by uuid
UPDATE graph_nodes SET replaced_by = :by WHERE owner = :owner AND id = :id

-- name: set_terminal
-- types: ids uuid[]
UPDATE graph_nodes SET is_terminal = true, node_type = 'terminal'
WHERE owner = :owner AND id = ANY(:ids)

-- name: set_pruned
-- types: ids uuid[], pruning uuid
UPDATE graph_nodes SET pruning_id = :pruning WHERE owner = :owner AND id = ANY(:ids)

-- name: put_back
-- types: graph uuid, pruning uuid
UPDATE graph_nodes SET pruning_id = NULL
WHERE owner = :owner AND graph_id = :graph AND pruning_id = :pruning RETURNING number, id

-- name: newest_pruning
-- types: graph uuid
SELECT id, threshold FROM graph_prunings
WHERE owner = :owner AND graph_id = :graph AND restored_at IS NULL ORDER BY number DESC LIMIT 1

-- name: set_pruning_restored
-- types: id uuid
UPDATE graph_prunings SET restored_at = clock_timestamp() WHERE owner = :owner AND id = :id
