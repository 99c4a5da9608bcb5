-- name: linked
ARRAY(SELECT unnest(ARRAY[source_id, target_id]) FROM edges
    WHERE owner = :owner AND type <> 'supersedes' AND weight > 0 AND {{ drawn }}
        AND (source_id = ANY(:linked_to) OR target_id = ANY(:linked_to))
    EXCEPT SELECT unnest(CAST(:known AS bigint[])))

-- name: dated
ARRAY(SELECT m.id FROM memories m WHERE {{ where }} AND m.dates && CAST(:dates AS text[])
    ORDER BY m.created_at DESC, m.id DESC LIMIT :pool)

-- name: judge
SELECT {{ cosine }} AS cosine, ({{ words }}) / :whole AS coverage,
    ({{ context }}) / :whole AS context, {{ columns }}
FROM memories m WHERE {{ where }} AND m.id = ANY({{ ids }})

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
