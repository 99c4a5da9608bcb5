-- name: record
-- types: rights text[]
INSERT INTO audit_log (owner, at, principal, action, tool, space, memories, subject, rights)
VALUES (:owner, :at, :principal, :action, :tool, :space, CAST(:memories AS bigint[]), :subject,
    :rights)

-- name: lose_late
-- A read waits for no disk: only a crash of the database itself can lose its entry.
SELECT set_config('synchronous_commit', 'off', true)

-- fragment: matching
owner = :owner AND (CAST(:since AS timestamptz) IS NULL OR at >= :since)
    AND (CAST(:principal AS text) IS NULL OR principal = :principal)
    AND (CAST(:place AS text) IS NULL OR space = :place)

-- name: page
SELECT {{ columns }} FROM audit_log WHERE {{ matching }}
ORDER BY at DESC, id LIMIT :limit OFFSET :offset

-- name: count
SELECT count(*) FROM audit_log WHERE {{ matching }}
