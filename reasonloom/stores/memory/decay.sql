-- name: reinforce
UPDATE memories SET {{ accessed }} WHERE owner = :owner AND id = ANY(:ids) AND deleted_at IS NULL

-- name: settle
UPDATE memories SET strength = {{ weakened }}, decayed_at = :at WHERE owner = :owner
    AND id = :id RETURNING strength

-- name: words_stay
SELECT set_config('app.words_stay', 'on', true)

-- name: weaken
-- Weakens what is due of the next `:size` memories of a space; no row comes back at its end.
--
-- It waits for nobody: a memory that somebody else holds is left to the next time. The ids are
-- arrays so that rows are reached by their key, whatever the planner believes of the table's size.
WITH batch AS MATERIALIZED (
    SELECT id, content_key FROM memories WHERE owner = :owner AND space = :space
        AND (content_key, id) > (:key, :id) ORDER BY content_key, id LIMIT :size
), due AS MATERIALIZED (
    SELECT id, strength AS before, {{ weakened }} AS after FROM memories
    WHERE owner = :owner AND id = ANY(ARRAY(SELECT id FROM batch))
        AND deleted_at IS NULL AND strength > {{ floor }} AND {{ since }} < :at
    FOR NO KEY UPDATE SKIP LOCKED
), weakened AS (
    UPDATE memories m SET strength = after, decayed_at = :at FROM due
    WHERE m.owner = :owner AND m.id = ANY(ARRAY(SELECT id FROM due)) AND m.id = due.id
        AND after < before RETURNING before, after
), last AS (SELECT id, content_key FROM batch ORDER BY content_key DESC, id DESC LIMIT 1)
SELECT id, content_key, (SELECT count(*) FROM weakened) AS memories,
    (SELECT coalesce(sum(before), 0) FROM weakened) AS before,
    (SELECT coalesce(sum(after), 0) FROM weakened) AS after FROM last

-- name: foresee
SELECT count(*) AS memories, coalesce(sum(before), 0) AS before, coalesce(sum(after), 0) AS after
FROM (SELECT strength AS before, {{ weakened }} AS after FROM memories
    WHERE owner = :owner AND space = :space AND deleted_at IS NULL AND strength > {{ floor }}) due
WHERE after < before

-- name: claim
UPDATE spaces SET decayed_at = :at WHERE (owner, space) IN (
    SELECT owner, space FROM spaces WHERE decayed_at IS NULL OR decayed_at < :due
    ORDER BY decayed_at NULLS FIRST, owner, space LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING owner, space

-- name: spaces
SELECT owner, space FROM spaces ORDER BY owner, space

-- name: strength
SELECT given.moment, {{ weakened_at_moment }} AS strength
FROM memories CROSS JOIN unnest(CAST(:moments AS timestamptz[])) AS given (moment)
WHERE owner = :owner AND space = :space AND id = :id ORDER BY given.moment

-- name: strength_basis
SELECT strength, {{ since }} AS since, {{ rate }} AS rate FROM memories
WHERE owner = :owner AND space = :space AND id = :id
