-- name: put
INSERT INTO hooks (owner, hook, ran_at, succeeded, message, milliseconds, project)
VALUES (:owner, :hook, :ran_at, :succeeded, :message, :milliseconds, :project)
ON CONFLICT (owner, hook) DO UPDATE SET ran_at = EXCLUDED.ran_at,
    succeeded = EXCLUDED.succeeded, message = EXCLUDED.message,
    milliseconds = EXCLUDED.milliseconds, project = EXCLUDED.project
WHERE hooks.ran_at <= EXCLUDED.ran_at

-- name: all
SELECT hook, ran_at, succeeded, message, milliseconds, project FROM hooks
WHERE owner = :owner ORDER BY hook
