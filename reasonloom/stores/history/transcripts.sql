-- name: find
SELECT {{ columns }} FROM transcripts WHERE owner = :owner AND path = ANY(CAST(:paths AS text[]))

-- name: like_head
SELECT {{ columns }} FROM transcripts WHERE owner = :owner AND head = :head
AND NOT starts_with(path, '{{ void }}') AND path <> :path ORDER BY read_at DESC LIMIT 50

-- name: make
INSERT INTO transcripts (owner, id, path, form, head)
SELECT :owner, id, path, form, head
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, path text, form text, head text)
ORDER BY path ON CONFLICT (owner, path) DO NOTHING

-- name: steps
-- types: ids uuid[]
SELECT id, coalesce((state ->> 'step')::int, 0) AS step FROM transcripts
WHERE owner = :owner AND id = ANY(:ids) ORDER BY id FOR UPDATE

-- name: save
UPDATE transcripts t SET position = r.position, state = r.state, size = r.size,
    skipped = r.skipped, read_at = clock_timestamp()
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, position jsonb, state jsonb,
    size bigint, skipped jsonb)
WHERE t.owner = :owner AND t.id = r.id

-- name: settle
UPDATE transcripts t SET state = t.state - 'unlinked'
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, step int)
WHERE t.owner = :owner AND t.id = r.id AND (t.state ->> 'step')::int = r.step

-- name: move
-- types: id uuid
UPDATE transcripts SET path = :path WHERE owner = :owner AND id = :id
AND NOT EXISTS (SELECT FROM transcripts t WHERE t.owner = :owner AND t.path = :path)

-- name: give_away
-- types: heir uuid, id uuid
UPDATE chunks SET transcript = :heir WHERE owner = :owner AND transcript = :id

-- name: delete
-- types: id uuid
DELETE FROM transcripts WHERE owner = :owner AND id = :id
