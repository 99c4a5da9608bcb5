-- name: hold
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session

-- name: create
-- types: effect uuid
INSERT INTO workspaces (owner, number, name, effect)
SELECT :owner, coalesce(max(number), 0) + 1, :name, :effect FROM workspaces WHERE owner = :owner
ON CONFLICT (owner, effect) DO NOTHING

-- name: created
-- types: effect uuid
SELECT number, name FROM workspaces WHERE owner = :owner AND effect = :effect

-- name: contexts
SELECT number, path, role, label FROM workspace_contexts
WHERE owner = :owner AND workspace = :workspace ORDER BY number

-- name: add
INSERT INTO workspace_contexts (owner, workspace, number, path, role, label)
SELECT :owner, :workspace, coalesce(max(number), 0) + 1, :path, :role, :label
FROM workspace_contexts WHERE owner = :owner AND workspace = :workspace

-- name: change
UPDATE workspace_contexts SET role = :role, label = :label
WHERE owner = :owner AND workspace = :workspace AND path = :path

-- name: find
SELECT number, name FROM workspaces WHERE owner = :owner AND number = :number

-- name: hold_workspace
SELECT number, name FROM workspaces WHERE owner = :owner AND number = :number FOR UPDATE
