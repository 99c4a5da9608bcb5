-- fragment: used
reply - 'found' AS reply, model, tokens_in, tokens_out, tokens_estimated, cost_usd, attempts

-- fragment: of_key
owner = :owner AND run_id = :run_id AND node = :node AND task = :task AND n = :n

-- name: record
-- types: run_id uuid, reply jsonb, messages jsonb
INSERT INTO llm_calls (owner, {{ key }}, {{ reply }})
VALUES (:owner, {{ key_parameters }}, {{ reply_parameters }})
ON CONFLICT (owner, {{ key }}) DO UPDATE SET n = excluded.n RETURNING {{ used }}

-- name: find
-- types: run_id uuid
SELECT {{ used }} FROM llm_calls
WHERE {{ of_key }}

-- name: keep_found
-- types: run_id uuid, found jsonb
-- On the right of || is what stays: the first that was recorded.
UPDATE llm_calls SET reply = jsonb_build_object('found', CAST(:found AS jsonb)) || reply
WHERE {{ of_key }} RETURNING reply -> 'found' AS found

-- name: find_found
-- types: run_id uuid
SELECT reply -> 'found' AS found FROM llm_calls WHERE {{ of_key }}
