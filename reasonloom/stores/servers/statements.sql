-- fragment: key_of
SELECT a.attname FROM pg_index i
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
WHERE i.indrelid = to_regclass(%s) AND i.indisprimary ORDER BY a.attnum

-- fragment: kinds_of
SELECT a.attname,
    CASE WHEN t.typnamespace <> to_regnamespace('pg_catalog') THEN t.typsend::regproc::text END
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attname

-- fragment: runs_of
SELECT id FROM runs WHERE owner = %s

-- fragment: by_thread
thread_id = ANY(current_setting('app.threads')::text[])

-- fragment: tally
SELECT {name}, count(*), count(*) FILTER (WHERE {changed}) FROM {table} WHERE {own}

-- fragment: count
SELECT count(*) FROM {table} WHERE {own}

-- fragment: checksum
SELECT count(*), sum(('x' || left(md5(record_send(ROW({hashed}))), 15))::bit(60)::bigint)
FROM {table} WHERE {own} AND {changed}

-- fragment: checksum_incoming
SELECT count(*), sum(('x' || left(md5(record_send(ROW({hashed}))), 15))::bit(60)::bigint)
FROM {table} WHERE {own} AND ({key}) IN (SELECT {key} FROM {incoming})

-- fragment: copy_out
COPY (SELECT {columns} FROM {table} WHERE {own} AND {changed}) TO STDOUT (FORMAT binary)

-- fragment: copy_in
COPY {table} ({columns}) FROM STDIN (FORMAT binary)

-- fragment: make_incoming
CREATE TEMPORARY TABLE {incoming} ON COMMIT DROP AS SELECT {columns} FROM {table} WITH NO DATA

-- fragment: copy_incoming
COPY {incoming} ({columns}) FROM STDIN (FORMAT binary)

-- fragment: delete_incoming
DELETE FROM {table} WHERE {own} AND ({key}) IN (SELECT {key} FROM {incoming})

-- fragment: make_present
CREATE TEMPORARY TABLE {present} ON COMMIT DROP AS SELECT {key} FROM {table} WITH NO DATA

-- fragment: copy_keys
COPY (SELECT {key} FROM {table} WHERE {own}) TO STDOUT (FORMAT binary)

-- fragment: copy_present
COPY {present} ({key}) FROM STDIN (FORMAT binary)

-- fragment: delete_gone
DELETE FROM {table} WHERE {own} AND ({key}) NOT IN (SELECT {key} FROM {present})

-- fragment: insert_incoming
INSERT INTO {table} ({columns}) SELECT {columns} FROM {incoming}

-- fragment: delete_own
DELETE FROM {table} WHERE {own}

-- fragment: bars
SELECT owner, member, added_by, added_at, removed_at FROM memberships
WHERE owner LIKE 'group/%' AND removed_at IS NOT NULL

-- fragment: bar
INSERT INTO memberships (owner, member, added_by, added_at, removed_at) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (owner, member) DO UPDATE SET removed_at = excluded.removed_at
    WHERE memberships.removed_at IS NULL
    AND (memberships.added_by = 'token' OR memberships.added_at <= excluded.removed_at)
