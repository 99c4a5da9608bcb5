-- name: between
-- types: low uuid, high uuid
SELECT id FROM {{ table }} WHERE owner = :owner AND id BETWEEN :low AND :high
ORDER BY id LIMIT {{ most_named }}
