-- name: kinds
SELECT m.event_type, count(*), count(m.superseded_by) FROM memories m
WHERE {{ visible_nodes }} AND m.id = ANY(:ids) GROUP BY m.event_type

-- name: of_any
SELECT e.source_id, e.target_id, e.type, e.weight, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS s (id) CROSS JOIN LATERAL (
    SELECT * FROM edges WHERE owner = :owner AND source_id = s.id
        AND target_id = ANY(CAST(:ids AS bigint[])) OFFSET 0) e
ORDER BY e.weight DESC, e.source_id, e.target_id, e.type LIMIT CAST(:most AS bigint) + 1

-- name: of_types
SELECT e.source_id, e.target_id, e.type, e.weight, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS s (id) CROSS JOIN LATERAL (
    SELECT * FROM edges WHERE owner = :owner AND source_id = s.id
        AND target_id = ANY(CAST(:ids AS bigint[]))
            AND type = ANY(CAST(:types AS text[])) OFFSET 0) e
ORDER BY e.weight DESC, e.source_id, e.target_id, e.type LIMIT CAST(:most AS bigint) + 1

-- name: step
-- The edges of one way from the memories of the last level; `floor` is what must be exceeded.
        SELECT e.id, f.worth * e.weight AS worth, e.place > :fan AS cut, false AS old
        FROM unnest(w.frontier, w.frontier_worths) AS f (id, worth)
        CROSS JOIN LATERAL (
            SELECT {{ far }} AS id, weight, row_number() OVER (ORDER BY weight DESC,
                {{ far }}) AS place
            FROM edges WHERE owner = :owner AND {{ near }} = f.id{{ types }} AND weight > CASE
                WHEN f.worth > 0 THEN w.floor / f.worth WHEN w.floor < 0 THEN -1 ELSE 2 END
            ORDER BY weight DESC, {{ far }} LIMIT CAST(:fan AS bigint) + 1) e

-- name: walk
-- `counts` marks the memories that are wanted; the start is none. What a level has too much of,
-- or a memory, is told by one more than its limit.
WITH RECURSIVE walk AS (
    SELECT 0 AS depth, ARRAY[CAST(:start AS bigint)] AS frontier,
        ARRAY[CAST(1 AS float8)] AS frontier_worths, ARRAY[CAST(:start AS bigint)] AS seen,
        ARRAY[CAST(1 AS float8)] AS worths, ARRAY[0] AS depths, ARRAY[false] AS counts,
        CAST(-1 AS float8) AS floor, false AS fan_cut, false AS level_cut
  UNION ALL
    SELECT w.depth + 1, further.ids, further.worths, w.seen || level.ids,
        w.worths || level.worths,
        w.depths || array_fill(w.depth + 1, ARRAY[cardinality(level.ids)]),
        w.counts || level.counts, lowest.floor, w.fan_cut OR level.fan_cut,
        w.level_cut OR level.read_cut OR cardinality(level.ids) > :level
    FROM walk w CROSS JOIN LATERAL (
        WITH met AS MATERIALIZED (SELECT * FROM ({{ steps }}
            ) AS edges LIMIT :read
        ), better AS (
            SELECT id, max(worth) FILTER (WHERE NOT old) AS worth FROM (
                SELECT * FROM met
                UNION ALL
                SELECT id, worth, false, true FROM unnest(w.seen, w.worths) AS s (id, worth)) every
            GROUP BY id HAVING max(worth) FILTER (WHERE NOT old)
                > coalesce(max(worth) FILTER (WHERE old) * (1 + {{ same }}), -1)
        ), reached AS (
            SELECT b.id, b.worth, m.confidence >= :confidence AS counts
            FROM better b CROSS JOIN LATERAL (
                SELECT m.confidence FROM memories m WHERE m.id = b.id
                    AND {{ visible_nodes }} LIMIT 1) m
            ORDER BY b.worth DESC, b.id LIMIT CAST(:level AS bigint) + 1
        )
        SELECT coalesce(array_agg(id), '{}') AS ids, coalesce(array_agg(worth), '{}') AS worths,
            coalesce(array_agg(counts), '{}') AS counts,
            coalesce((SELECT bool_or(cut) FROM met), false) AS fan_cut,
            (SELECT count(*) FROM met) = :read AS read_cut
        FROM reached
    ) level CROSS JOIN LATERAL (
        SELECT coalesce((SELECT max(worth) FROM unnest(w.seen || level.ids,
                w.worths || level.worths, w.counts || level.counts) AS s (id, worth, counts)
            WHERE counts GROUP BY id ORDER BY max(worth) DESC
            OFFSET :most LIMIT 1), -1) AS floor
    ) lowest CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(id), '{}') AS ids, coalesce(array_agg(worth), '{}') AS worths
        FROM unnest(level.ids, level.worths) AS s (id, worth) WHERE worth > lowest.floor
    ) further
    WHERE w.depth < :depth AND cardinality(w.frontier) > 0
        AND clock_timestamp() < now() + make_interval(secs => :seconds)
), final AS (SELECT * FROM walk ORDER BY depth DESC LIMIT 1)
SELECT best.ids, best.depths, best.worths, f.fan_cut, f.level_cut,
    f.depth < :depth AND cardinality(f.frontier) > 0
FROM final f CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(id), '{}') AS ids, coalesce(array_agg(depth), '{}') AS depths,
        coalesce(array_agg(worth), '{}') AS worths
    FROM (SELECT * FROM (
            SELECT DISTINCT ON (id) * FROM unnest(f.seen, f.depths, f.worths, f.counts)
                AS s (id, depth, worth, counts)
            WHERE counts ORDER BY id, worth DESC) each
        ORDER BY worth DESC, depth, id LIMIT CAST(:most AS bigint) + 1) heaviest
) best
