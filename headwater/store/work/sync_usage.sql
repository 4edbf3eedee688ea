-- name: add_spending
-- Add to today's spending of a source, or of a whole knowledge base. An unknown cost stays unknown in the sum.
INSERT INTO sync_spending AS s (knowledge_base_id, source_id, day, kind, model, made_count, prompt_tokens,
                                completion_tokens, cost_usd)
SELECT coalesce(%(knowledge_base_id)s, (SELECT c.knowledge_base_id FROM sources c WHERE c.id = %(source_id)s)),
       coalesce(%(source_id)s, 0), (now() AT TIME ZONE 'UTC')::date, %(kind)s, %(model)s, %(made_count)s,
       %(prompt_tokens)s, %(completion_tokens)s, %(cost_usd)s
ON CONFLICT (knowledge_base_id, source_id, day, kind, model) DO UPDATE
   SET made_count = s.made_count + excluded.made_count, prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = s.completion_tokens + excluded.completion_tokens, cost_usd = s.cost_usd + excluded.cost_usd;

-- name: spending_by_day
-- What syncs paid models for in the last days, today (UTC) included, newest first.
SELECT p.day, p.kind, c.slug AS source, p.model, p.made_count, p.prompt_tokens, p.completion_tokens, p.cost_usd
  FROM sync_spending p LEFT JOIN sources c ON c.id = p.source_id AND c.state <> 'deleting'
 WHERE p.knowledge_base_id = %(knowledge_base_id)s AND p.day > (now() AT TIME ZONE 'UTC')::date - %(days)s::integer
 ORDER BY p.day DESC, p.kind, c.slug NULLS LAST, p.source_id, p.model;

-- name: tokens_of_run
-- The tokens that a run has taken for summaries and questions of a knowledge base.
SELECT coalesce(sum(p.tokens), 0) AS tokens
  FROM (SELECT source_id, knowledge_base_id, prompt_tokens + completion_tokens AS tokens FROM summaries
         WHERE run_id = %(run_id)s
         UNION ALL
        SELECT source_id, NULL, prompt_tokens + completion_tokens FROM question_sets WHERE run_id = %(run_id)s) AS p
       LEFT JOIN sources c ON c.id = p.source_id
 WHERE %(knowledge_base_id)s IN (p.knowledge_base_id, c.knowledge_base_id);
