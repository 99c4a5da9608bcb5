-- name: ids
SELECT c.memory_id FROM chunks c WHERE {{ seen }} AND {{ within }} ORDER BY c.memory_id

-- name: previews
SELECT m.id, left(m.content, :head) AS content, c.started_at AS time
FROM memories m JOIN chunks c ON c.owner = :owner AND c.memory_id = m.id
WHERE m.owner = :owner AND m.id = ANY(:ids)

-- name: next
SELECT coalesce(max(number), 0) + 1 AS number FROM forgets WHERE owner = :owner

-- name: note
INSERT INTO forgets (owner, number, project, asked, chunks, forgotten_at)
VALUES (:owner, :number, :project, CAST(:asked AS jsonb), :chunks, :at)

-- name: hide
WITH hidden AS (
    UPDATE chunks SET forgotten = :number
    WHERE owner = :owner AND memory_id = ANY(:ids) AND forgotten IS NULL RETURNING memory_id
), told AS (UPDATE memories SET deleted_at = :at
    WHERE owner = :owner AND id = ANY(:ids) AND id IN (SELECT memory_id FROM hidden)
    RETURNING id)
SELECT count(*) AS chunks FROM hidden

-- name: counted
UPDATE forgets SET chunks = :chunks WHERE owner = :owner AND number = :number

-- fragment: erasing
-- What a forget's `asked` says once its chunks are being erased: it can be undone no more.
erasing

-- fragment: open
chunks > 0 AND NOT asked ? '{{ erasing }}'

-- name: list
SELECT number, project, asked, chunks, forgotten_at FROM forgets
WHERE owner = :owner AND {{ open }} ORDER BY number DESC

-- name: hold
SELECT number, project, asked, chunks, forgotten_at FROM forgets
WHERE owner = :owner AND number = :number AND {{ open }} FOR UPDATE

-- name: restore
WITH shown AS (
    UPDATE chunks SET forgotten = NULL WHERE owner = :owner AND forgotten = :number
    RETURNING memory_id
), told AS (UPDATE memories SET deleted_at = NULL
    WHERE owner = :owner AND id IN (SELECT memory_id FROM shown) RETURNING id)
SELECT count(*) AS chunks FROM shown

-- name: spent
-- The row stays, so that no number is given twice.
UPDATE forgets SET chunks = 0, project = '', asked = '{}' WHERE owner = :owner AND number = :number

-- name: due
SELECT number FROM forgets WHERE owner = :owner AND chunks > 0 AND forgotten_at <= :before
ORDER BY number

-- name: claim
UPDATE forgets SET asked = '{"{{ erasing }}": true}'
WHERE owner = :owner AND number = :number AND chunks > 0 RETURNING number

-- name: next_claim
SELECT c.memory_id, c.key, c.transcript, m.session_id FROM chunks c
JOIN memories m ON m.owner = :owner AND m.id = c.memory_id
WHERE c.owner = :owner AND c.forgotten = :number ORDER BY c.memory_id LIMIT :size

-- name: all
SELECT memory_id FROM chunks WHERE owner = :owner AND forgotten = :number

-- name: erase
WITH gone AS (DELETE FROM memories WHERE owner = :owner AND id = ANY(:ids) RETURNING id)
UPDATE owners SET memory_count = greatest(memory_count - (SELECT count(*) FROM gone), 0)
WHERE owner = :owner

-- name: cutters
-- types: transcript uuid
-- What is cut next begins anew where the chunk that was still open is erased: its text is there.
UPDATE transcripts SET state = jsonb_set(state, '{cutting}', 'null')
WHERE owner = :owner AND id = :transcript AND EXISTS (
    SELECT FROM jsonb_each_text(CASE WHEN jsonb_typeof(state -> 'cutting' -> 'given') = 'object'
        THEN state -> 'cutting' -> 'given' END) AS given (place, key)
    WHERE given.key = ANY(CAST(:keys AS text[])))

-- name: basins
DELETE FROM basins b WHERE b.owner = :owner AND NOT EXISTS (
    SELECT FROM basin_members m WHERE m.owner = :owner AND m.basin = b.id)

-- name: sessions
-- types: sessions uuid[]
DELETE FROM sessions s WHERE s.owner = :owner AND s.id = ANY(:sessions) AND s.mode IS NULL
    AND NOT EXISTS (SELECT FROM memories m WHERE m.owner = :owner AND m.session_id = s.id)
    AND NOT EXISTS (SELECT FROM thoughts t WHERE t.owner = :owner AND t.session_id = s.id)

-- name: transcripts
-- types: transcripts uuid[]
DELETE FROM transcripts t WHERE t.owner = :owner AND t.id = ANY(:transcripts)
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.owner = :owner AND c.transcript = t.id)

-- name: projects
DELETE FROM projects p USING forgets f
WHERE f.owner = :owner AND f.number = :number AND p.owner = :owner AND p.slug = f.project
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.owner = :owner AND c.project = p.slug)

-- name: left
SELECT count(*) FROM chunks WHERE owner = :owner AND forgotten = :number
