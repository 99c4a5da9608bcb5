-- fragment: indexed
-- The last memory of an owner's index of nearness, from its name; of one without it, any.
SELECT max(coalesce(CAST(substring(c.relname FROM '_([0-9]{1,18})$') AS bigint),
    9223372036854775807))
FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relname BETWEEN CAST(:index AS name) AND CAST(CAST(:index AS text) || '_a' AS name)
    AND i.indisvalid AND i.indrelid = to_regclass('embeddings')

-- fragment: past
-- How many transcripts an owner has, with those that are hidden.
coalesce((SELECT memories FROM terms WHERE owner = :owner AND space = ''
    AND kind = 'transcript_all' AND term = ''), 0)
+ coalesce((SELECT sum(chunks) FROM forgets WHERE owner = :owner), 0)

-- name: weigh
SELECT lexeme, held, weight, visible, every, CAST(past AS bigint) AS past, indexed FROM (SELECT
    coalesce((SELECT memories FROM terms WHERE owner = :owner AND space = :space
        AND kind = :whole AND term = ''), 0) AS visible,
    coalesce((SELECT memory_count FROM owners WHERE owner = :owner), 0) AS every,
    {{ past }} AS past,
    ({{ indexed }}) AS indexed) AS owned
LEFT JOIN ({{ question }}) AS question ON true ORDER BY held > 0 DESC, held, lexeme

-- name: words_in_passages
SELECT ARRAY(SELECT n FROM unnest(CAST(:words AS text[])) WITH ORDINALITY AS asked (word, n)
    WHERE said.words @@ CAST(word AS tsquery)) AS held
FROM (SELECT place, words_of(passage, '{}', '{}') AS words
    FROM unnest(CAST(:passages AS text[])) WITH ORDINALITY AS p (passage, place) OFFSET 0) said
ORDER BY place
