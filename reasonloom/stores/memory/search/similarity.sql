-- name: judge
SELECT {{ cosine }} AS cosine, ({{ words }}) / :whole AS coverage,
    ({{ context }}) / :whole AS context, {{ columns }}
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

-- name: cosines
SELECT a.memory_id, b.memory_id, 1 - (a.embedding <=> b.embedding) AS cosine
FROM embeddings a JOIN embeddings b ON b.owner = a.owner AND b.memory_id <> a.memory_id
    AND b.model = a.model AND b.memory_id = ANY(:ids) AND b.sectors & {{ semantic }} <> 0
WHERE a.owner = :owner AND a.memory_id = ANY(:ids) AND a.model = :model
    AND a.sectors & {{ semantic }} <> 0
