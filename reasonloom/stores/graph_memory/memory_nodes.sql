-- name: fetch
SELECT {{ node_columns }} FROM memories m WHERE {{ visible_nodes }} AND m.id = ANY(:ids)

-- name: hearsay
SELECT m.id FROM memories m WHERE {{ visible_nodes }} AND m.id = ANY(:ids)
    AND (m.tool = 'session_end'
    OR m.event_type = 'episode' AND m.category = ANY(:categories))

-- name: sessions
SELECT number, id FROM sessions
WHERE owner = :owner AND space = :space AND number = ANY(:numbers)

-- name: list
-- types: sessions uuid[]
-- Contents and session numbers are read of what is shown alone.
WITH chosen AS MATERIALIZED (
    SELECT m.id, row_number() OVER () AS place FROM (
        SELECT m.id FROM memories m WHERE {{ where }} ORDER BY {{ order }} LIMIT :most) m)
SELECT {{ node_columns }} FROM chosen JOIN memories m ON m.owner = :owner AND m.id = chosen.id
ORDER BY chosen.place
