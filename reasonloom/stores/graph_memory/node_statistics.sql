-- name: nodes
SELECT m.event_type, count(*), count(*) FILTER (WHERE m.superseded_by IS NOT NULL)
FROM memories m WHERE {{ visible_nodes }} GROUP BY m.event_type

-- name: sessions
SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space
    AND EXISTS (SELECT FROM memories m WHERE m.session_id = s.id AND {{ visible_nodes }})

-- name: edges
WITH unseen AS MATERIALIZED (
    SELECT m.id FROM memories m WHERE m.owner = :owner AND NOT ({{ visible_nodes }})
)
SELECT e.type, count(*) FROM edges e WHERE e.owner = :owner
    AND e.origin NOT IN ('sequence', 'brief', 'debrief', 'continuation', 'cause')
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.id = e.source_id)
    AND NOT EXISTS (SELECT FROM unseen u WHERE u.id = e.target_id)
GROUP BY e.type

-- name: bytes
-- Each edge is weighed with the memory that it leaves.
WITH newest AS MATERIALIZED (
    SELECT id FROM memories WHERE owner = :owner AND source_kind <> 'transcript'
    ORDER BY id DESC LIMIT :weighed
)
SELECT (SELECT count(*) FROM newest),
    (SELECT count(*) FROM memories WHERE owner = :owner AND source_kind <> 'transcript'),
    (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m
        WHERE m.owner = :owner AND m.id = ANY(ARRAY(SELECT id FROM newest)))
    + (SELECT coalesce(sum(pg_column_size(v.*)), 0) FROM embeddings v
        WHERE v.owner = :owner AND v.memory_id = ANY(ARRAY(SELECT id FROM newest)))
    + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM edges e
        WHERE e.owner = :owner AND e.source_id = ANY(ARRAY(SELECT id FROM newest)))

-- name: judge
-- A chain in time joins all of a session and says nothing: it makes no node linked.
WITH shown AS MATERIALIZED (
    SELECT m.id, m.event_type, m.confidence, m.strength, m.superseded_by IS NULL AS current
    FROM memories m WHERE {{ visible_nodes }}
), linked AS MATERIALIZED (
    SELECT e.source_id, e.target_id, e.type, s.current AS source_current,
        t.current AS target_current
    FROM edges e JOIN shown s ON s.id = e.source_id JOIN shown t ON t.id = e.target_id
    WHERE e.owner = :owner AND e.type <> 'temporal_next'
), weak AS MATERIALIZED (
    SELECT id, confidence FROM shown WHERE current AND confidence < :low
), stale AS MATERIALIZED (
    SELECT id, strength FROM shown WHERE current AND strength < :stale
), orphans AS MATERIALIZED (
    SELECT n.id FROM shown n LEFT JOIN (SELECT source_id AS id FROM linked
        UNION SELECT target_id FROM linked) joined ON joined.id = n.id
    WHERE n.current AND joined.id IS NULL
), unsupported AS MATERIALIZED (
    SELECT n.id FROM shown n LEFT JOIN (
        SELECT source_id AS id FROM linked
            WHERE type IN ('caused_by', 'derived_from') AND target_current
        UNION SELECT target_id FROM linked WHERE type = 'supports' AND source_current
    ) grounded ON grounded.id = n.id
    WHERE n.current AND n.event_type = 'decision' AND grounded.id IS NULL
), opposed AS MATERIALIZED (
    SELECT DISTINCT least(source_id, target_id) AS one, greatest(source_id, target_id) AS other
    FROM linked WHERE type = 'contradicts' AND source_current AND target_current
)
SELECT counted.*,
    (SELECT count(*) FROM weak),
    ARRAY(SELECT id FROM weak ORDER BY confidence, id DESC LIMIT :most),
    (SELECT count(*) FROM stale), ARRAY(SELECT id FROM stale ORDER BY strength, id LIMIT :most),
    (SELECT count(*) FROM orphans), ARRAY(SELECT id FROM orphans ORDER BY id DESC LIMIT :most),
    (SELECT count(*) FROM unsupported),
    ARRAY(SELECT id FROM unsupported ORDER BY id DESC LIMIT :most),
    (SELECT count(*) FROM opposed),
    (SELECT count(*) FROM (SELECT one FROM opposed UNION SELECT other FROM opposed) either),
    ARRAY(SELECT ARRAY[one, other] FROM opposed ORDER BY other DESC, one DESC LIMIT :most)
FROM (SELECT count(*) AS nodes, count(*) FILTER (WHERE current) AS current,
    count(*) FILTER (WHERE current AND event_type = 'decision') AS decisions
    FROM shown) counted
