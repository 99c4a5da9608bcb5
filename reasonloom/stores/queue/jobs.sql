-- fragment: job
j.id, j.task_name, j.queue_name, j.status::text AS status, j.attempts, j.args,
    (SELECT reason FROM failures f WHERE f.job_id = j.id) AS reason,
    (SELECT max(at) FROM procrastinate_events e WHERE e.job_id = j.id) AS since

-- name: enqueue
SELECT unnest(procrastinate_defer_jobs_v1(ARRAY[ROW(%(queue)s, %(kind)s, 0, %(lock)s::text,
    %(lock)s::text, %(args)s, CASE WHEN %(pause)s > 0
        THEN now() + %(pause)s * interval '1 second' END)]::procrastinate_job_to_defer_v1[])) AS id
WHERE NOT EXISTS (SELECT FROM procrastinate_jobs
        WHERE queueing_lock = %(lock)s::text AND status = 'todo')
    AND NOT EXISTS (SELECT FROM procrastinate_jobs WHERE lock = %(lock)s::text AND status = 'doing')

-- name: take_over
-- Procrastinate's own functions list stalled jobs and retry them in two steps; of two workers that
-- do so at once, the second would free a job that a third one has begun.
WITH stalled AS (
    SELECT j.id FROM procrastinate_jobs j
    LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
    WHERE j.status = 'doing' AND (w.id IS NULL
        OR w.last_heartbeat < now() - %(seconds)s * interval '1 second')
    FOR UPDATE OF j SKIP LOCKED
), freed AS (
    UPDATE procrastinate_jobs j SET attempts = attempts + 1, worker_id = NULL,
        status = (CASE WHEN attempts + 1 >= %(most)s THEN 'failed' ELSE 'todo' END)
            ::procrastinate_job_status
    FROM stalled WHERE j.id = stalled.id AND j.status = 'doing'
    RETURNING j.*
), noted AS (
    INSERT INTO failures (job_id, reason) SELECT id, 'worker_died' FROM freed
    ON CONFLICT (job_id) DO UPDATE SET reason = excluded.reason
)
SELECT id, task_name, queue_name, status::text AS status, attempts, args,
    'worker_died' AS reason, now() AS since
FROM freed

-- name: uncount
UPDATE procrastinate_jobs SET attempts = attempts - 1 WHERE id = %(job)s RETURNING id

-- name: note_failure
INSERT INTO failures (job_id, reason) VALUES (%(job)s, %(reason)s)
ON CONFLICT (job_id) DO UPDATE SET reason = excluded.reason RETURNING job_id

-- name: failed
SELECT {{ job }} FROM procrastinate_jobs j
WHERE j.status = 'failed' AND j.task_name = %(kind)s AND j.args->>'owner' = %(owner)s

-- name: withdraw
DELETE FROM procrastinate_jobs
WHERE status::text = ANY(%(statuses)s) AND task_name = %(kind)s AND args->>'owner' = %(owner)s
RETURNING id

-- name: listed
SELECT {{ job }} FROM procrastinate_jobs j
WHERE %(status)s::text IS NULL OR j.status::text = %(status)s
ORDER BY j.id DESC LIMIT %(most)s

-- name: counts
SELECT queue_name, status::text AS status, count(*) AS jobs FROM procrastinate_jobs
GROUP BY queue_name, status ORDER BY queue_name, status

-- name: workers
SELECT count(*) AS workers FROM procrastinate_workers
WHERE last_heartbeat >= now() - %(seconds)s * interval '1 second'

-- name: retry
UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL
WHERE id = %(job)s AND status = 'failed' RETURNING id
