-- name: find
-- types: session_id uuid
SELECT twin_of(:owner, :space, s.id, :event_type, :source_kind, :content, :since) AS id
FROM sessions s WHERE s.owner = :owner AND s.space = :space
AND CASE WHEN CAST(:name AS text) IS NULL THEN s.id = :session_id ELSE s.external_name = :name END

-- name: strengthen
-- types: other_metadata jsonb
UPDATE memories SET {{ accessed }}, confidence = :confidence,
    importance = greatest(importance, :importance),
    salience = CASE WHEN :importance > importance THEN greatest(salience, :salience)
        ELSE salience END,
    keywords = keywords || ARRAY(SELECT new
        FROM unnest(CAST(:keywords AS text[])) WITH ORDINALITY AS given (new, place)
        WHERE new <> ALL(keywords) ORDER BY place), tags = tags || ARRAY(SELECT new
        FROM unnest(CAST(:tags AS text[])) WITH ORDINALITY AS given (new, place)
        WHERE new <> ALL(tags) ORDER BY place),
    category = coalesce(category, :category), context = coalesce(context, :context),
    other_metadata = :other_metadata || other_metadata
WHERE owner = :owner AND id = :id RETURNING id, strength, salience
