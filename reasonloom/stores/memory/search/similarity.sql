-- name: judge
SELECT m.id, {{ cosine }} AS cosine, ({{ words }}) / :whole AS coverage,
    ({{ context }}) / :whole AS context
FROM memories m WHERE {{ where }} AND m.id = ANY(CAST(:ids AS bigint[]))

-- name: dated
SELECT m.id FROM memories m WHERE {{ where }} AND m.dates && CAST(:date_terms AS text[])
ORDER BY m.created_at DESC, m.id DESC LIMIT :pool

-- name: matching_words
SELECT id FROM (SELECT m.id, {{ coverage }} AS coverage FROM memories m
    WHERE {{ where }} AND {{ any_word }}{{ last }}) found
ORDER BY coverage DESC, id DESC LIMIT :words_pool

-- name: similarity
WITH worded AS MATERIALIZED ({{ worded }}), alike AS MATERIALIZED ({{ alike }})
SELECT m.id, {{ cosine }} AS cosine, ({{ coverage }}) / :whole AS coverage,
    m.id = ANY(ARRAY(SELECT id FROM alike)) AS near
FROM memories m WHERE {{ where }}
    AND m.id = ANY(ARRAY(SELECT id FROM worded UNION SELECT id FROM alike))
