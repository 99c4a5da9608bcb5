-- name: report
-- types: id uuid
UPDATE runs SET outcome = :outcome WHERE owner = :owner AND id = :id

-- name: of_tool
SELECT CAST(coalesce(output -> 'stated_confidence', output -> 'answer' -> 'confidence')
        AS double precision) AS confidence, CAST(outcome AS double precision) AS outcome
FROM runs
WHERE owner = :owner AND tool = :tool AND outcome IS NOT NULL
    AND jsonb_typeof(output -> 'answer' -> 'confidence') = 'number'
ORDER BY created_at DESC LIMIT :limit
