-- name: read
SELECT CAST(phraseto_tsquery(CAST(:config AS regconfig), term) AS text) AS words
FROM unnest(CAST(:terms AS text[])) WITH ORDINALITY AS t (term, place) ORDER BY place

-- name: page
WITH matched AS MATERIALIZED (
    SELECT m.id, row_number() OVER (ORDER BY m.created_at DESC, m.id DESC) AS age
    FROM {{ memories }} WHERE {{ where }} {{ readable }} AND {{ condition }}
), ranked AS (
    SELECT id, age, CASE WHEN age <= :most_ranked THEN (SELECT {{ rank }} FROM {{ memories }}
        WHERE m.owner = :owner AND m.id = matched.id) END AS rank FROM matched
), page AS (
    SELECT id, row_number() OVER (ORDER BY rank DESC NULLS LAST, age) AS place
    FROM ranked ORDER BY place LIMIT :limit OFFSET :offset
)
SELECT total.count AS total, found.* FROM (SELECT count(*) FROM matched) AS total LEFT JOIN (
    SELECT m.id, m.content, m.created_at, m.strength, m.salience, m.sector,
        m.principal, page.place,
        {{ rank }} AS rank, {{ marked }} AS marked, {{ held }} AS held, {{ alone }} AS alone
    FROM page CROSS JOIN {{ memories }} WHERE m.owner = :owner AND m.id = page.id
) AS found ON true ORDER BY found.place

-- name: readable
-- Limits a search letter by letter to the newest memories.
AND m.id IN (SELECT id FROM (
    SELECT m.id, sum(m.token_count) OVER (ORDER BY m.created_at DESC, m.id DESC) - m.token_count
        AS newer FROM memories m WHERE {{ where }}) AS aged WHERE newer < :most_tokens)

-- name: size
SELECT count(*) AS memories, coalesce(sum(m.token_count), 0) AS tokens FROM memories m
WHERE {{ where }}
