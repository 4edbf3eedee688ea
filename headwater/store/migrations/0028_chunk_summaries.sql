-- A chunk can carry a summary of one sentence, and a run's budget covers questions too.

-- The summary of a chunk is stored as all summaries are; the same text in another chunk has the same one.
CREATE TABLE chunk_summaries (
    chunk_id    uuid PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    source_id   bigint NOT NULL,  -- that the chunk is of
    summary_key bytea NOT NULL REFERENCES summaries,
    recipe_hash bytea NOT NULL  -- how it was made
);
CREATE INDEX chunk_summaries_by_source ON chunk_summaries (source_id);
CREATE INDEX chunk_summaries_by_summary ON chunk_summaries (summary_key);

-- What readers see beside a chunk. A chunk without a sentence that could stand for it has an empty summary, which is not
-- shown.
CREATE VIEW chunk_sentences AS
SELECT c.chunk_id, s.text FROM chunk_summaries c JOIN summaries s ON s.key = c.summary_key WHERE s.text <> '';

CREATE INDEX question_sets_by_run ON question_sets (run_id);
ALTER TABLE sync_sources ADD COLUMN questions_left integer NOT NULL DEFAULT 0;

-- The tokens that were paid for before.
INSERT INTO sync_spending (knowledge_base_id, source_id, day, kind, model, made_count, prompt_tokens, completion_tokens, cost_usd)
SELECT c.knowledge_base_id, s.source_id, (s.created_at AT TIME ZONE 'UTC')::date, 'questions', s.model, count(*),
       sum(s.prompt_tokens), sum(s.completion_tokens), CASE WHEN count(s.cost_usd) = count(*) THEN sum(s.cost_usd) END
  FROM question_sets s JOIN sources c ON c.id = s.source_id
 GROUP BY 1, 2, 3, s.model;
