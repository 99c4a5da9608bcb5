-- name: rights
-- types: owners text[], spaces text[]
SELECT coalesce(rights_on(owner, space), '{}')
FROM unnest(:owners, :spaces) WITH ORDINALITY AS place (owner, space, n) ORDER BY n

-- name: admit
-- types: groups text[]
-- A member that was removed stays so, whatever its token claims.
INSERT INTO memberships (owner, member, added_by, added_at)
SELECT 'group/' || name, :person, 'token', :at FROM unnest(:groups) AS name
ON CONFLICT DO NOTHING

-- name: found_team
WITH made AS (
    INSERT INTO owners (owner) VALUES (:owner) ON CONFLICT DO NOTHING RETURNING owner
)
INSERT INTO spaces (owner, space) SELECT owner, '' FROM made

-- name: create_space
INSERT INTO spaces (owner, space) VALUES (:owner, :space) ON CONFLICT DO NOTHING

-- name: space_exists
SELECT EXISTS (SELECT FROM spaces WHERE owner = :owner AND space = :space)

-- name: grant
-- types: rights text[]
INSERT INTO grants (owner, space, grantee, rights, granted_by, granted_at)
VALUES (:owner, :space, :grantee, :rights, :by, :at)
ON CONFLICT (owner, space, grantee) DO UPDATE SET rights = excluded.rights,
    granted_by = excluded.granted_by, granted_at = excluded.granted_at, revoked_at = NULL

-- name: revoke
UPDATE grants SET revoked_at = :at
WHERE owner = :owner AND space = :space AND grantee = :grantee AND revoked_at IS NULL

-- name: known_team
SELECT known_team(:name)

-- name: revoke_all
UPDATE grants SET revoked_at = :at
WHERE owner = :owner AND grantee = :grantee AND revoked_at IS NULL

-- name: has_admin
SELECT EXISTS (SELECT FROM grants WHERE owner = :owner AND space = '' AND revoked_at IS NULL
    AND 'admin' = ANY(rights))

-- name: in_force
SELECT {{ columns }} FROM grants WHERE owner = :owner AND revoked_at IS NULL
    AND (CAST(:all AS boolean) OR space = :space)
ORDER BY space, grantee

-- name: reachable
SELECT owner, space, rights FROM spaces_for()

-- name: own
SELECT owner, space FROM spaces WHERE owner = :owner ORDER BY space
