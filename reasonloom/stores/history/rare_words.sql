-- name: wanted
SELECT asked_words(said.text) FROM json_array_elements_text(CAST(:texts AS json)) WITH ORDINALITY
    AS said (text, place) ORDER BY said.place

-- name: counted
-- A logarithm is taken once for each number of chunks, not for each word.
WITH held AS MATERIALIZED (
    SELECT t.term, t.memories AS held, n.memories AS every
    FROM (SELECT memories FROM terms WHERE owner = :owner AND space = :space
        AND kind = 'transcript_all' AND term = '') n
    CROSS JOIN json_array_elements_text(CAST(:terms AS json)) AS a (term)
    CROSS JOIN LATERAL (SELECT term, memories FROM terms WHERE owner = :owner
        AND space = :space AND kind = 'transcript_word' AND term = a.term LIMIT 1) t
    WHERE t.memories > 1 AND t.memories <= n.memories
)
SELECT h.term, h.held, w.weight FROM held h JOIN (
    SELECT held, ln(1 + (every - held + 0.5) / (held + 0.5))::float8 AS weight
    FROM (SELECT DISTINCT held, every FROM held) d) w USING (held)

-- name: sharing
-- Each word is looked up once by the index: a chunk's own words, kilobytes, are never unpacked.
-- The project is written so that no index serves it: with one, all chunks of the project would be
-- listed for each word. For the same reason the times of what is found are looked up one by one.
WITH asked AS MATERIALIZED (
    SELECT chunk, place, word, weight FROM json_to_recordset(CAST(:rows AS json))
        AS a (chunk bigint, place int, word text, weight float8)
), held AS MATERIALIZED (
    SELECT s.word, h.id FROM (SELECT DISTINCT word FROM asked) s CROSS JOIN LATERAL (
        SELECT m.id FROM memories m WHERE m.owner = :owner AND m.deleted_at IS NULL
            AND m.source_kind = 'transcript' AND m.project || '' = :project
            AND m.context_words @@ CAST(s.word AS tsquery) OFFSET 0) h
), shared AS (
    SELECT a.chunk, h.id, sum(a.weight) AS shared, array_agg(a.place ORDER BY a.place) AS places,
        row_number() OVER (PARTITION BY a.chunk ORDER BY sum(a.weight) DESC, h.id) AS rank
    FROM asked a JOIN held h USING (word) WHERE h.id <> a.chunk GROUP BY a.chunk, h.id
)
SELECT s.chunk, s.id, c.at, s.shared, s.places FROM shared s
CROSS JOIN LATERAL (SELECT at FROM chunks WHERE owner = :owner AND memory_id = s.id LIMIT 1) c
WHERE s.rank <= :most ORDER BY s.chunk, s.shared DESC, s.id

-- name: settle
SELECT settle_words()
