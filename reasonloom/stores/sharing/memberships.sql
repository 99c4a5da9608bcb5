-- name: add
INSERT INTO memberships (owner, member, added_by, added_at) VALUES (:owner, :member, :by, :at)
ON CONFLICT (owner, member) DO UPDATE SET added_by = excluded.added_by,
    added_at = excluded.added_at, removed_at = NULL WHERE memberships.removed_at IS NOT NULL

-- name: remove
UPDATE memberships SET removed_at = :at
WHERE owner = :owner AND member = :member AND removed_at IS NULL

-- name: bar
INSERT INTO memberships (owner, member, added_by, added_at, removed_at)
VALUES (:owner, :member, :by, :at, :at)
ON CONFLICT (owner, member) DO UPDATE SET removed_at = excluded.removed_at
    WHERE memberships.removed_at IS NULL

-- name: of_team
SELECT {{ columns }} FROM memberships WHERE owner = :owner AND removed_at IS NULL ORDER BY member
