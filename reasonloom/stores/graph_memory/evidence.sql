-- name: corrected
WITH asked AS (SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''')
        || '''', ' | ')::tsquery AS words FROM unnest(asked_words(:text)) AS lexeme)
SELECT id FROM (SELECT m.id, m.words, asked.words AS asked FROM memories m, asked
    WHERE {{ visible_nodes }} AND m.superseded_by IS NOT NULL AND m.words @@ asked.words
    ORDER BY m.id DESC LIMIT {{ newest }}) found
ORDER BY ts_rank(words, asked) DESC, id DESC LIMIT :most

-- name: heads
WITH RECURSIVE later (old, id, steps) AS (
    SELECT m.id, m.superseded_by, 1 FROM memories m
    WHERE {{ visible_nodes }} AND m.id = ANY(:ids) AND m.superseded_by IS NOT NULL
  UNION
    SELECT later.old, m.superseded_by, steps + 1 FROM later JOIN memories m ON m.id = later.id
    WHERE {{ visible_nodes }} AND m.superseded_by IS NOT NULL AND steps < {{ longest_chain }}
)
SELECT later.old, later.id FROM later JOIN memories m ON m.id = later.id
WHERE {{ visible_nodes }} AND m.superseded_by IS NULL

-- name: edges
-- Materialized: a plan for small tables would read the edges of a hub again for every memory.
WITH e AS MATERIALIZED (
    SELECT node.id AS node, o.* FROM unnest(CAST(:ids AS bigint[])) AS node (id) CROSS JOIN LATERAL (
        (SELECT source_id, target_id, type, weight, reason FROM edges
            WHERE owner = :owner AND source_id = node.id
            ORDER BY weight DESC, target_id LIMIT :read)
        UNION
        (SELECT source_id, target_id, type, weight, reason FROM edges
            WHERE owner = :owner AND target_id = node.id
            ORDER BY weight DESC, source_id LIMIT :read)) o
)
SELECT e.source_id, e.target_id, e.type, e.weight, e.reason, e.node FROM e
JOIN memories m ON m.id = CASE WHEN e.source_id = e.node THEN e.target_id ELSE e.source_id END
WHERE {{ visible_nodes }} ORDER BY e.node, e.weight DESC, e.source_id, e.target_id, e.type

-- name: unknown
SELECT lexeme FROM unnest(asked_words(:text)) AS asked (lexeme)
WHERE NOT EXISTS (SELECT FROM terms WHERE owner = :owner AND space = :space AND kind = 'word'
    AND term = lexeme AND memories > 0) LIMIT 32

-- name: about_as_long
SELECT term FROM terms WHERE owner = :owner AND space = :space AND kind = 'word' AND memories > 0
    AND length(term) BETWEEN :shortest AND :longest
ORDER BY left(term, 1) = ANY(:letters) DESC, memories DESC, term LIMIT :most
