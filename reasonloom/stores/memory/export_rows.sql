-- Chunks of past conversations are not exported: they are read from their transcripts again.

-- name: count
SELECT count(*) AS memories, coalesce(max(id), 0) AS last FROM memories m
WHERE owner = :owner AND space = :space AND (:hidden OR m.deleted_at IS NULL)
    AND NOT EXISTS (SELECT FROM chunks c
        WHERE c.owner = m.owner AND c.memory_id = m.id)

-- name: page
SELECT {{ columns }}, s.external_name AS session_name,
    coalesce((SELECT json_agg(json_build_object('target', e.target_id, 'type', e.type,
            'weight', e.weight, 'origin', e.origin, 'created_at', e.created_at)
            ORDER BY e.target_id, e.type)
        FROM edges e JOIN memories t ON t.owner = e.owner AND t.id = e.target_id
        WHERE e.owner = :owner AND e.source_id = m.id AND t.space = :space AND t.id <= :last
            AND (:hidden OR t.deleted_at IS NULL) AND NOT EXISTS (SELECT FROM chunks c
        WHERE c.owner = t.owner AND c.memory_id = t.id)), '[]') AS edges,
    (SELECT h.id FROM memories h WHERE h.owner = m.owner AND h.id = m.superseded_by
        AND h.space = :space AND h.id <= :last AND (:hidden OR h.deleted_at IS NULL)
            AND NOT EXISTS (SELECT FROM chunks c
        WHERE c.owner = h.owner AND c.memory_id = h.id)) AS superseded_by,
    coalesce((SELECT json_agg(json_build_object('sectors', v.sectors, 'vector',
            CAST(v.embedding AS text)) ORDER BY v.sectors)
        FROM embeddings v WHERE v.owner = :owner AND v.memory_id = m.id
            AND v.model = CAST(:model AS text)), '[]') AS vectors
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND m.id > :after AND m.id <= :last
    AND (:hidden OR m.deleted_at IS NULL) AND NOT EXISTS (SELECT FROM chunks c
        WHERE c.owner = m.owner AND c.memory_id = m.id)
ORDER BY m.id LIMIT :size
