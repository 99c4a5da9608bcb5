-- name: counts
-- types: a_sessions uuid[], b_sessions uuid[]
SELECT count(*) FILTER (WHERE in_a) AS in_a, count(*) FILTER (WHERE in_b) AS in_b,
    count(*) FILTER (WHERE in_b AND NOT in_a) AS only_b,
    count(*) FILTER (WHERE in_a AND id <> ALL(:corrected) AND strength < :faded) AS faded,
    count(*) FILTER (WHERE in_a AND id <> ALL(:corrected) AND superseded_by IS NOT NULL)
        AS elsewhere
FROM (SELECT m.id, m.strength, m.superseded_by, {{ a }} IS TRUE AS in_a, {{ b }} IS TRUE AS in_b
    FROM memories m WHERE {{ visible_nodes }} AND ({{ a }} OR {{ b }})) m

-- name: steps
-- types: a_sessions uuid[], b_sessions uuid[]
-- What was superseded by what is shown and newer, wherever it stands.
SELECT m.id, newer.id, {{ a_older }} IS TRUE, {{ a_newer }} IS TRUE, {{ b_newer }} IS TRUE
FROM edges e
JOIN memories m ON m.owner = :owner AND m.id = e.target_id
JOIN memories newer ON newer.owner = :owner AND newer.id = e.source_id
WHERE e.owner = :owner AND e.type = 'supersedes' AND e.source_id > e.target_id
    AND {{ older }} AND {{ newer }}

-- name: some
-- types: a_sessions uuid[], b_sessions uuid[]
SELECT m.id FROM memories m WHERE {{ visible_nodes }} AND {{ chosen }} AND m.id <> ALL(:without)
ORDER BY {{ order }} LIMIT :most
