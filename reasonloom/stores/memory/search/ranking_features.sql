-- name: features
SELECT m.id, m.sector, m.session_id, m.salience, m.valid_from,
    CASE WHEN m.source_kind <> 'transcript' THEN left(m.content, {{ head }}) ELSE '' END AS head,
    m.tags && CAST(:tags AS text[]) AS tagged,
    CASE WHEN m.dates && CAST(:dates AS text[]) THEN m.dates END AS dates,
    m.superseded_by
FROM memories m WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL

-- name: links
SELECT source_id, target_id, coalesce(max(weight) FILTER (
    WHERE origin NOT IN ('waypoint', 'near_duplicate', 'session', 'may_replace')), 0) AS weight
FROM edges
WHERE owner = :owner AND type <> 'supersedes'
    AND (source_id = ANY(:ids) OR target_id = ANY(:ids))
GROUP BY source_id, target_id
