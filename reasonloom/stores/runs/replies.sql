-- fragment: used
reply, model, tokens_in, tokens_out, tokens_estimated, cost_usd, attempts

-- name: record
-- types: run_id uuid, reply jsonb, messages jsonb
INSERT INTO llm_calls (owner, {{ key }}, {{ reply }})
VALUES (:owner, {{ key_parameters }}, {{ reply_parameters }})
ON CONFLICT (owner, {{ key }}) DO UPDATE SET n = excluded.n RETURNING {{ used }}

-- name: find
-- types: run_id uuid
SELECT {{ used }} FROM llm_calls
WHERE owner = :owner AND run_id = :run_id AND node = :node AND task = :task AND n = :n
