-- name: tune
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search',
    CAST(:reach AS text), true)

-- name: visible_first
SELECT id, 1 - min(distance) AS cosine FROM (
    SELECT m.id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM memories m JOIN embeddings e ON e.owner = m.owner AND e.memory_id = m.id
    WHERE {{ where }} AND {{ of_model }} OFFSET 0) near
GROUP BY id ORDER BY min(distance), id LIMIT :pool

-- name: nearest_first
-- Ids go from one to the other as arrays: joined, before the tables were analysed, each of one
-- would be looked for among all of the other.
WITH near AS MATERIALIZED (SELECT memory_id, min(distance) AS distance FROM ({{ vectors }}) looked
    GROUP BY memory_id)
SELECT near.memory_id AS id, 1 - distance AS cosine FROM near WHERE memory_id = ANY(ARRAY(
    SELECT m.id FROM memories m WHERE {{ where }} AND m.id = ANY(ARRAY(SELECT memory_id
        FROM near))))
ORDER BY distance, memory_id LIMIT :pool

-- name: every_vector
SELECT memory_id, distance FROM (
    SELECT e.memory_id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM embeddings e WHERE {{ of_model }} OFFSET 0) taken
ORDER BY distance LIMIT :looked

-- name: by_index
-- The cast to a size and the first condition on the number are the index's own; without them
-- the planner does not know the index. An index of a larger number will do as well.
(SELECT e.memory_id,
    CAST(e.embedding AS halfvec({{ size }})) <=> CAST(:vector AS halfvec({{ size }}))
    AS distance
FROM embeddings e WHERE {{ of_model }} AND e.memory_id <= CAST(:indexed AS bigint)
ORDER BY CAST(e.embedding AS halfvec({{ size }})) <=> CAST(:vector AS halfvec({{ size }})) LIMIT :looked)
UNION ALL (SELECT memory_id, distance FROM (
    SELECT e.memory_id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM embeddings e WHERE {{ of_model }}
        AND e.memory_id > CAST(:indexed AS bigint) OFFSET 0) later
ORDER BY distance LIMIT :looked)
