-- name: follow
-- types: ats timestamptz[]
-- What follows what, from the last chunk before each moment on.
WITH begun AS (
    SELECT l.project, l.session, l.agent, coalesce((
        SELECT max(c.at) FROM chunks c WHERE c.owner = :owner AND c.session = l.session
            AND c.project = l.project AND c.agent IS NOT DISTINCT FROM l.agent AND c.at < l.at),
        l.at) AS at
    FROM unnest(CAST(:projects AS text[]), CAST(:sessions AS text[]), CAST(:agents AS text[]),
        :ats) AS l (project, session, agent, at)
), told AS (
    SELECT c.memory_id AS id, lead(c.memory_id) OVER lane AS next,
        lead(c.continues) OVER lane AS goes_on, lead(c.started_at) OVER lane - c.ended_at AS pause
    FROM begun b JOIN chunks c ON c.owner = :owner AND c.session = b.session
        AND c.project = b.project AND c.agent IS NOT DISTINCT FROM b.agent AND c.at >= b.at
    WINDOW lane AS (PARTITION BY c.project, c.session, c.agent
        ORDER BY c.at, c.first_turn, c.ordinal, c.memory_id)
), gone AS (
    DELETE FROM edges e USING told t WHERE e.owner = :owner AND e.source_id = t.id
        AND e.origin = 'sequence' AND e.target_id IS DISTINCT FROM t.next
)
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, id, next, 'temporal_next',
    CASE WHEN goes_on THEN :within WHEN pause > interval '4 hours' THEN :later
        WHEN pause > interval '30 minutes' THEN :paused ELSE :next END,
    'sequence',
    CASE WHEN goes_on THEN 'the turn goes on' WHEN pause > interval '4 hours'
        THEN 'next in the session, hours later' WHEN pause > interval '30 minutes'
        THEN 'next in the session, after a pause' ELSE 'next in the session' END
FROM told WHERE next IS NOT NULL
ON CONFLICT (owner, source_id, target_id, type) DO UPDATE
    SET weight = excluded.weight, reason = excluded.reason WHERE edges.origin = 'sequence'
        AND (edges.weight, edges.reason) IS DISTINCT FROM (excluded.weight, excluded.reason)

-- name: link_agents
-- To each sub-agent of some sessions from who started it, and back to who has its report.
--
-- Two that each say they started the other would have one edge as brief and as debrief: brief it is.
WITH held AS (
    SELECT * FROM chunks WHERE owner = :owner AND session = ANY(CAST(:sessions AS text[]))
), lanes AS (
    SELECT session, agent, min(at) AS began, max(coalesce(ended_at, at)) AS ended,
        (array_agg(memory_id ORDER BY at, first_turn, ordinal, memory_id))[1] AS head,
        (array_agg(memory_id ORDER BY at DESC, first_turn DESC, ordinal DESC, memory_id DESC))[1]
            AS tail
    FROM held WHERE agent IS NOT NULL GROUP BY session, agent
), named AS (
    SELECT l.agent, l.head, l.tail, p.memory_id AS parent, p.at, p.first_turn, p.ordinal,
        coalesce(p.ended_at >= l.ended, true) AS after
    FROM held p CROSS JOIN LATERAL unnest(p.spawns) AS s (agent)
    JOIN lanes l ON l.session = p.session AND l.agent = s.agent
    WHERE p.agent IS DISTINCT FROM s.agent
), unnamed AS (
    SELECT * FROM lanes l WHERE NOT EXISTS (SELECT FROM named n WHERE n.head = l.head)
), all_wanted AS (
    (SELECT DISTINCT ON (head) parent AS source, head AS target, 'brief' AS origin,
        :named AS weight, 'starts the sub-agent ' || agent AS reason
    FROM named ORDER BY head, at, first_turn, ordinal, parent)
    UNION ALL
    (SELECT DISTINCT ON (tail) tail, parent, 'debrief', :named,
        'the sub-agent ' || agent || ' reports'
    FROM named WHERE after ORDER BY tail, at DESC, first_turn DESC, ordinal DESC, parent DESC)
    UNION ALL
    (SELECT DISTINCT ON (l.head) p.memory_id, l.head, 'brief', :by_time,
        'the sub-agent ' || l.agent || ' begins at that time'
    FROM unnamed l JOIN held p ON p.session = l.session AND p.agent IS NULL
        AND p.started_at <= l.began
    ORDER BY l.head, p.at DESC, p.first_turn DESC, p.ordinal DESC, p.memory_id DESC)
    UNION ALL
    (SELECT DISTINCT ON (l.tail) l.tail, p.memory_id, 'debrief', :by_time,
        'the sub-agent ' || l.agent || ' ends at that time'
    FROM unnamed l JOIN held p ON p.session = l.session AND p.agent IS NULL
        AND p.ended_at >= l.ended
    ORDER BY l.tail, p.at, p.first_turn, p.ordinal, p.memory_id)
), wanted AS (
    SELECT DISTINCT ON (source, target) * FROM all_wanted WHERE source <> target
    ORDER BY source, target, origin
), gone AS (
    DELETE FROM edges e USING held h WHERE e.owner = :owner AND h.agent IS NOT NULL
        AND (e.origin = 'brief' AND e.target_id = h.memory_id
            OR e.origin = 'debrief' AND e.source_id = h.memory_id)
        AND NOT EXISTS (SELECT FROM wanted w WHERE
            (w.source, w.target) = (e.source_id, e.target_id))
)
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, reason)
SELECT :owner, source, target, 'temporal_next', weight, origin, reason FROM wanted
ON CONFLICT (owner, source_id, target_id, type) DO UPDATE
    SET weight = excluded.weight, origin = excluded.origin, reason = excluded.reason
    WHERE edges.origin IN ('brief', 'debrief') AND (edges.weight, edges.origin, edges.reason)
        IS DISTINCT FROM (excluded.weight, excluded.origin, excluded.reason)
