-- name: features
-- Light columns only: a content may have a hundred thousand characters, and a page shows ten.
m.id, CAST(m.session_id AS text) AS session, m.salience, m.valid_from,
    CASE WHEN m.source_kind <> 'transcript' THEN left(m.content, {{ head }}) ELSE '' END AS head,
    m.tags && CAST(:named AS text[]) AS tagged,
    CASE WHEN m.dates && CAST(:dates AS text[]) THEN m.dates END AS dates,
    m.superseded_by

-- name: links
SELECT source_id, target_id, coalesce(max(weight) FILTER (
    WHERE {{ drawn }}), 0) AS weight
FROM edges
WHERE owner = :owner AND type <> 'supersedes'
    AND (source_id = ANY(:ids) OR target_id = ANY(:ids))
GROUP BY source_id, target_id
