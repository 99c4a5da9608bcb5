-- name: matching_words
SELECT id, ({{ coverage }}) / :whole AS coverage, ({{ context }}) / :whole AS context FROM (
    SELECT m.id, m.words, {{ held }} FROM memories m
    WHERE {{ where }} AND {{ any_word }}{{ last }}) found
ORDER BY ({{ coverage }}) + ({{ context }}) DESC, id LIMIT :pool

-- name: without_context
-- Transcripts stand by themselves. Their words are many: they are taken out of store once for
-- all that are asked, which joining them with nothing does.
SELECT id, share AS coverage, share AS context FROM (
    SELECT id, ({{ own }}) / :whole AS share FROM (
        SELECT m.id, m.context_words || CAST('' AS tsvector) AS words FROM memories m
        WHERE {{ where }} AND {{ any_word }}{{ last }}) found OFFSET 0) judged
ORDER BY share DESC, id LIMIT :pool
