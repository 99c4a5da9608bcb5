-- fragment: found
{{ columns }}, (SELECT s.external_name FROM sessions s
    WHERE s.owner = m.owner AND s.id = m.session_id) AS session, coalesce((SELECT avg(weight) FROM (
    SELECT d.weight FROM edges d
    WHERE d.owner = :owner AND d.source_id = m.id AND d.origin = 'waypoint'
    UNION ALL SELECT d.weight FROM edges d
    WHERE d.owner = :owner AND d.target_id = m.id AND d.origin = 'waypoint') links), 0) AS link

-- name: fetch
SELECT {{ found }} FROM memories m
WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL

-- name: nearest
-- The exact search runs only if the other one has found too few.
WITH alike AS MATERIALIZED ({{ alike }}), every AS (
    SELECT id, cosine FROM alike WHERE (SELECT count(*) FROM alike) >= :enough
    UNION ALL SELECT id, cosine FROM ({{ exact }}) exact
    WHERE (SELECT count(*) FROM alike) < :enough)
SELECT every.cosine, {{ found }} FROM every JOIN memories m ON m.owner = :owner AND m.id = every.id
ORDER BY every.cosine DESC, m.id

-- name: tags_in
SELECT term, memories >= CAST(:common AS float8) * (SELECT memories FROM terms
    WHERE owner = :owner AND space = :space AND kind = 'all' AND term = '') AS common
FROM terms WHERE owner = :owner AND space = :space AND kind = 'tag'
    AND memories > 0 AND position(lower(term) IN lower(:text)) > 0
ORDER BY length(term) DESC, term LIMIT 100

-- name: candidates
WITH worded AS MATERIALIZED ({{ worded }}), alike AS MATERIALIZED ({{ alike }}),
found AS MATERIALIZED (SELECT id, cosine, coalesce(coverage, 0) AS coverage,
    coalesce(context, 0) AS context FROM alike FULL JOIN worded USING (id))
SELECT found.cosine, found.coverage, found.context, {{ features }}
FROM memories m JOIN found ON found.id = m.id
WHERE m.owner = :owner AND m.id = ANY(ARRAY(SELECT id FROM found))

-- name: any
SELECT m.id FROM memories m WHERE {{ where }}
ORDER BY m.salience DESC, m.last_accessed DESC, m.id LIMIT :pool
