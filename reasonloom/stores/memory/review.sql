-- name: pairs
SELECT e.origin, e.weight, n.id AS newer, o.id AS older, left(n.content, {{ excerpt }}) AS newer_text,
    left(o.content, {{ excerpt }}) AS older_text
FROM edges e JOIN memories n ON n.owner = e.owner AND n.id = e.source_id
    JOIN memories o ON o.owner = e.owner AND o.id = e.target_id
WHERE e.owner = :owner AND e.origin IN ('may_replace', 'near_duplicate')
    AND n.space = :space AND n.deleted_at IS NULL AND n.superseded_by IS NULL
    AND o.space = :space AND o.deleted_at IS NULL AND o.superseded_by IS NULL
ORDER BY e.origin, e.weight DESC, n.id DESC LIMIT :most

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
