-- A node belongs to a source, or to a knowledge base: those above its sources.
ALTER TABLE summary_tree ALTER COLUMN source_id DROP NOT NULL;
ALTER TABLE summary_tree ADD COLUMN knowledge_base_id bigint REFERENCES knowledge_bases ON DELETE CASCADE;
ALTER TABLE summary_tree ADD CONSTRAINT summary_tree_owner CHECK (num_nonnulls(source_id, knowledge_base_id) = 1);
CREATE INDEX summary_tree_by_knowledge_base ON summary_tree (knowledge_base_id) WHERE knowledge_base_id IS NOT NULL;

ALTER TABLE summaries ALTER COLUMN source_id DROP NOT NULL;
ALTER TABLE summaries ADD COLUMN knowledge_base_id bigint;  -- that it was made for, above its sources
CREATE INDEX summaries_by_run ON summaries (run_id);
CREATE INDEX summaries_by_knowledge_base ON summaries (knowledge_base_id) WHERE knowledge_base_id IS NOT NULL;

-- What the tree of a knowledge base was made of: the summaries of its sources, and how.
CREATE TABLE summarized_knowledge_bases (
    knowledge_base_id bigint PRIMARY KEY REFERENCES knowledge_bases ON DELETE CASCADE,
    inputs            bytea NOT NULL
);

-- What syncs paid models for, by day (UTC): it stays when what was made is deleted.
CREATE TABLE sync_spending (
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    source_id         bigint NOT NULL,  -- 0 for what belongs to the whole knowledge base; the source may be deleted since
    day               date NOT NULL,
    kind              text NOT NULL,
    model             text NOT NULL,
    made_count        integer NOT NULL,
    prompt_tokens     bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_usd          double precision,  -- NULL if the price of any is not known
    PRIMARY KEY (knowledge_base_id, source_id, day, kind, model)
);

-- Summaries of a sync: how many were made, how many existed, and how many its budget left at most.
ALTER TABLE sync_sources ADD COLUMN summarized_count integer NOT NULL DEFAULT 0;
ALTER TABLE sync_sources ADD COLUMN reused_count integer NOT NULL DEFAULT 0;
ALTER TABLE sync_sources ADD COLUMN summaries_left integer NOT NULL DEFAULT 0;

-- The tokens that were paid for before.
INSERT INTO sync_spending (knowledge_base_id, source_id, day, kind, model, made_count, prompt_tokens, completion_tokens, cost_usd)
SELECT c.knowledge_base_id, s.source_id, (s.created_at AT TIME ZONE 'UTC')::date, 'summaries', s.model, count(*),
       sum(s.prompt_tokens), sum(s.completion_tokens), CASE WHEN count(s.cost_usd) = count(*) THEN sum(s.cost_usd) END
  FROM summaries s JOIN sources c ON c.id = s.source_id
 GROUP BY 1, 2, 3, s.model;
