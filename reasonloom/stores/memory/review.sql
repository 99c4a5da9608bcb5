-- name: pairs
SELECT origin, weight, newer, older, newer_text, older_text, cosine FROM (
SELECT e.origin, e.weight, n.id AS newer, o.id AS older, left(n.content, {{ head }}) AS newer_text,
    left(o.content, {{ head }}) AS older_text,
    (SELECT 1 - (a.embedding <=> b.embedding) FROM embeddings a JOIN embeddings b
        ON b.owner = a.owner AND b.model = a.model AND b.memory_id = o.id
        AND b.sectors & {{ semantic }} <> 0
        WHERE a.owner = :owner AND a.memory_id = n.id AND a.model = :model
        AND a.sectors & {{ semantic }} <> 0 LIMIT 1) AS cosine,
    row_number() OVER (PARTITION BY e.origin ORDER BY e.weight DESC, n.id DESC) AS place
FROM edges e JOIN memories n ON n.owner = e.owner AND n.id = e.source_id
    JOIN memories o ON o.owner = e.owner AND o.id = e.target_id
WHERE e.owner = :owner AND e.origin IN ('may_replace', 'near_duplicate')
    AND n.space = :space AND n.deleted_at IS NULL AND n.superseded_by IS NULL
    AND o.space = :space AND o.deleted_at IS NULL AND o.superseded_by IS NULL
) paired WHERE place <= :most ORDER BY origin, place

-- name: newest
SELECT m.id, left(m.content, {{ head }}) AS content FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.superseded_by IS NULL AND m.source_kind <> 'transcript'
ORDER BY m.id DESC LIMIT :most

-- name: keep_both
WITH settled AS (DELETE FROM edges WHERE owner = :owner AND source_id = :newer
    AND target_id = :older AND origin = 'may_replace')
UPDATE edges SET origin = 'waypoint' WHERE owner = :owner AND source_id = :newer
    AND target_id = :older AND origin = 'near_duplicate'

-- name: claim
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, n.id, o.id, 'contradicts', :weight, 'may_replace', '{{ question }}'
FROM memories n JOIN memories o ON o.owner = n.owner AND o.space = n.space AND o.id = :older
WHERE n.owner = :owner AND n.space = :space AND n.id = :newer
    AND n.deleted_at IS NULL AND n.superseded_by IS NULL
    AND o.deleted_at IS NULL AND o.superseded_by IS NULL
ON CONFLICT (owner, source_id, target_id, type) DO UPDATE
    SET reason = concat_ws('; ', edges.reason, excluded.reason)
    WHERE edges.reason IS NULL OR position('{{ question }}' IN edges.reason) = 0
