-- name: add
INSERT INTO graph_edges (owner, id, graph_id, from_node, to_node, edge_type, weight, run_id, reason)
SELECT :owner, id, graph_id, from_node, to_node, edge_type, weight, run_id, reason
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, graph_id uuid, from_node uuid,
    to_node uuid, edge_type text, weight float8, run_id uuid, reason text)
ON CONFLICT DO NOTHING

-- name: of_graph
-- types: graph uuid
SELECT {{ columns }} FROM graph_edges
WHERE owner = :owner AND graph_id = :graph ORDER BY created_at, id
