-- name: bind
SELECT set_config('app.owner', {owner}, true), set_config('app.space', {space}, true)

-- name: bind_and_plan
-- For searches: a plan kept from when the tables were small takes a second where they grew, and
-- every table is read by an index that begins with its owner, however large the owner's share.
SELECT set_config('app.owner', {owner}, true), set_config('app.space', {space}, true),
    set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off',
    true), set_config('max_parallel_workers_per_gather', '0', true)

-- name: bind_steady
-- For walks: every table is read by an index, in its order, so that one plan serves graphs of every
-- size and the long query need not be planned at each call.
SELECT set_config('app.owner', {owner}, true), set_config('app.space', {space}, true),
    set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)

-- name: bind_host
-- The caller stays the owner of its own rows; those of memories are the host's, by a grant.
SELECT set_config('app.host', {host}, true), set_config('app.groups', {groups}, true)

-- name: recover
SELECT set_config('app.recovery', 'on', true)

-- name: enter
SELECT enter_owner({owner}, {epoch})
