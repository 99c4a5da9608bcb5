-- name: store
-- types: id uuid, session_id uuid, parent_id uuid, branch_id uuid, run_id uuid, metadata jsonb
INSERT INTO thoughts (owner, id, session_id, position, parent_id, branch_id, mode, input,
    content, confidence, llm, run_id, metadata)
SELECT :owner, :id, :session_id, coalesce(max(position), 0) + 1, :parent_id, :branch_id, :mode,
    :input, :content, :confidence, :llm, :run_id, :metadata
FROM thoughts WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING

-- name: line
-- types: head uuid
-- Carries the texts along: joining them afterwards would read every thought of the owner.
WITH RECURSIVE line (id, parent_id, input, content, back) AS (
    SELECT id, parent_id, left(input, :longest), left(content, :longest), 1
    FROM thoughts WHERE owner = :owner AND id = :head
    UNION ALL
    SELECT t.id, t.parent_id, left(t.input, :longest), left(t.content, :longest), line.back + 1
    FROM line JOIN thoughts t ON t.owner = :owner AND t.id = line.parent_id
    WHERE line.back < :most)
SELECT id, input, content FROM line ORDER BY back DESC

-- fragment: of_space
FROM thoughts t JOIN sessions s ON s.owner = t.owner AND s.id = t.session_id
WHERE t.owner = :owner AND s.space = :space

-- name: find
-- types: id uuid
SELECT {{ columns }} {{ of_space }} AND t.id = :id

-- name: of_session
-- types: session uuid
SELECT {{ columns }} {{ of_space }} AND t.session_id = :session ORDER BY t.position
