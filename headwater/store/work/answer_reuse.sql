-- name: asked_state
-- What a knowledge base would answer from: its active index, if it has one, how many of its sources have all their summaries, and the
-- revision of each source, by id, of all or of those that a filter names; 0 if a source never published anything.
SELECT i.id AS index_id, i.model, i.dimensions,
       (SELECT count(*) FROM sources s
         WHERE s.knowledge_base_id = k.id AND s.state <> 'deleting'
           AND (%(slugs)s::text[] IS NULL OR s.slug = ANY(%(slugs)s))
           AND EXISTS (SELECT FROM summary_tree n WHERE n.source_id = s.id AND n.kind = 'source')) AS summarised,
       (SELECT coalesce(jsonb_object_agg(s.id, coalesce(r.revision, 0)), '{}')
          FROM sources s LEFT JOIN source_revisions r ON r.source_id = s.id
         WHERE s.knowledge_base_id = k.id AND s.state <> 'deleting'
           AND (%(slugs)s::text[] IS NULL OR s.slug = ANY(%(slugs)s))) AS revisions
  FROM (SELECT %(knowledge_base_id)s::bigint AS id) AS k
       LEFT JOIN search_indexes i ON i.knowledge_base_id = k.id AND i.state = 'active';

-- name: same_answer
-- The newest answer to a request, unless it is stale. Older ones have older revisions.
SELECT n.id
  FROM (SELECT a.id FROM answers a
         WHERE a.knowledge_base_id = %(knowledge_base_id)s AND a.request_hash = %(request_hash)s
           AND a.state = 'done' AND NOT a.is_refused
         ORDER BY a.created_at DESC LIMIT 1) AS n
 WHERE NOT answer_is_stale(n.id);

-- name: similar_answers
-- Answers that are not stale, to similar questions with the same options, most similar first. Only the newest answers are
-- compared, so that the time does not grow with their number. (One index has one model, and so vectors of one length.)
SELECT s.id, s.question, 1 - s.distance AS similarity
  FROM (SELECT n.id, n.question, n.created_at, n.question_vector <=> %(vector)s::halfvec AS distance
          FROM (SELECT a.id, a.question, a.created_at, a.question_vector FROM answers a
                 WHERE a.knowledge_base_id = %(knowledge_base_id)s AND a.options_hash = %(options_hash)s
                   AND a.question_vector IS NOT NULL AND a.state = 'done' AND NOT a.is_refused
                 ORDER BY a.created_at DESC LIMIT %(compared)s) AS n
         ORDER BY distance, n.created_at DESC LIMIT %(limit)s) AS s
 WHERE s.distance <= 1 - %(similarity)s::float8 AND NOT answer_is_stale(s.id)
 ORDER BY s.distance, s.created_at DESC;
