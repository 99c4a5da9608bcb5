-- name: get
-- types: kind text[], keys text[]
SELECT namespace[3], key, value FROM items
WHERE owner = :owner AND namespace[1:2] = :kind AND key = ANY(:keys)

-- name: answers
-- types: namespace text[], keys text[]
SELECT key, value FROM items
WHERE owner = :owner AND namespace = :namespace AND key = ANY(:keys)

-- name: drop
-- types: kind text[], keys text[]
DELETE FROM items WHERE owner = :owner AND namespace[1:2] = :kind AND key = ANY(:keys)
