-- name: questions_to_check
-- Questions that were not checked against a search index and what readers see now, or that ask for the same as one which
-- is no longer kept; the first ones of each document come first.
SELECT q.id, q.question, s.slug AS source, q.document_id, p.version_id
  FROM questions q JOIN sources s ON s.id = q.source_id AND s.state <> 'deleting'
       LEFT JOIN published_documents p ON p.document_id = q.document_id AND p.search_index_id = %(search_index_id)s
       LEFT JOIN suggestions g ON g.question_id = q.id
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND (q.document_id IS NULL OR p.version_id IS NOT NULL)
   AND ((g.search_index_id, g.version_id) IS DISTINCT FROM (%(search_index_id)s, p.version_id)
        OR (g.state = 'same' AND NOT EXISTS (SELECT FROM suggestions k WHERE k.question_id = g.same_as AND k.state = 'kept')))
 ORDER BY q.position, md5(q.id::text) LIMIT %(limit)s;

-- name: question_vectors
-- The cached vectors of some texts.
SELECT text_hash, vector::real[] AS vector FROM embeddings WHERE model = %(model)s AND text_hash = ANY(%(hashes)s);

-- name: nearest_kept
-- The kept questions of some documents, and of sources as a whole, that are closest to a question, by its vector.
SELECT q.id, q.question, 1 - (g.vector <=> %(vector)s::halfvec) AS similarity
  FROM (SELECT id, question FROM questions WHERE document_id = ANY(%(document_ids)s)
         UNION ALL
        SELECT q.id, q.question FROM sources s JOIN questions q ON q.source_id = s.id AND q.document_id IS NULL
         WHERE s.knowledge_base_id = %(knowledge_base_id)s) AS q
       JOIN suggestions g ON g.question_id = q.id
 WHERE g.search_index_id = %(search_index_id)s AND g.state = 'kept' AND g.question_id <> %(id)s
 ORDER BY g.vector <=> %(vector)s::halfvec, q.id LIMIT %(limit)s;

-- name: put_suggestion
-- What the check of a question found; nothing if the question was deleted meanwhile.
INSERT INTO suggestions AS g (question_id, search_index_id, version_id, state, same_as, words, embedding_hash, vector,
                              run_id, code_version, source_id)
SELECT q.id, %(search_index_id)s, %(version_id)s, %(state)s, %(same_as)s, %(words)s, %(embedding_hash)s,
       %(vector)s::halfvec, %(run_id)s, %(code_version)s, q.source_id
  FROM questions q WHERE q.id = %(id)s FOR KEY SHARE
ON CONFLICT (question_id) DO UPDATE
   SET search_index_id = excluded.search_index_id, version_id = excluded.version_id, state = excluded.state,
       same_as = excluded.same_as, words = excluded.words, embedding_hash = excluded.embedding_hash,
       vector = excluded.vector, run_id = excluded.run_id, code_version = excluded.code_version, checked_at = now();

-- name: refuse_suggestion
-- A question whose answer was refused is no longer offered.
UPDATE suggestions SET state = 'not_found', checked_at = now() WHERE question_id = %(id)s AND state = 'kept';

-- name: suggestion_counts
-- How many questions of a knowledge base were checked, by result, and a digest over them.
SELECT g.state, count(*) AS count, md5(string_agg(g.question_id::text, ',' ORDER BY g.question_id)) AS digest
  FROM suggestions g JOIN questions q ON q.id = g.question_id JOIN sources s ON s.id = q.source_id
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
 GROUP BY g.state ORDER BY g.state;

-- name: varied_suggestions
-- Offered questions: the first ones of documents, then the second ones, taking the sources in turn. Of each source only as
-- many are read as may be offered.
SELECT o.id, o.question, o.source, o.document_id, o.uri, o.title
  FROM (SELECT t.*, row_number() OVER (PARTITION BY t.source_id, t.position ORDER BY md5(t.id::text)) AS place
          FROM sources s CROSS JOIN LATERAL (
               SELECT f.* FROM (SELECT q.id FROM questions q WHERE q.source_id = s.id
                                 ORDER BY q.position, md5(q.id::text) OFFSET 0) AS q
                      CROSS JOIN LATERAL (SELECT * FROM offered_questions f WHERE f.id = q.id OFFSET 0) AS f
                LIMIT %(limit)s) AS t
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND (%(source)s::text IS NULL OR s.slug = %(source)s)) AS o
 ORDER BY o.position, o.place, md5(o.id::text) LIMIT %(limit)s;

-- name: asked_of_answer
-- Of which sources an answer was asked, and its question's vector, if the active index's model made it.
SELECT a.knowledge_base_id, a.asked_sources AS sources,
       CASE WHEN a.embedding_model = i.model AND vector_dims(a.question_vector) = i.dimensions
            THEN a.question_vector::vector::real[] END AS vector
  FROM answers a LEFT JOIN search_indexes i ON i.knowledge_base_id = a.knowledge_base_id AND i.state = 'active'
 WHERE a.id = %(answer_id)s;

-- name: questions_to_compare
-- The sources whose questions are compared, whether there are more than so many, and the active index, if there is one.
-- This transaction's queries are planned for their values: a plan for all values would read all questions.
SELECT o.source_ids, i.id AS search_index_id, i.shard, i.dimensions, i.ef_search,
       (SELECT count(*) FROM (SELECT FROM questions q WHERE q.source_id = ANY(o.source_ids) LIMIT %(most)s + 1) AS q)
       > %(most)s AS is_large, set_config('plan_cache_mode', 'force_custom_plan', true)
  FROM (SELECT coalesce(array_agg(s.id), '{}') AS source_ids FROM sources s
         WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
           AND (%(sources)s::text[] IS NULL OR s.slug = ANY(%(sources)s))) AS o
       LEFT JOIN search_indexes i ON i.knowledge_base_id = %(knowledge_base_id)s AND i.state = 'active';

-- name: questions_near
-- The questions of sources as a whole, of the documents that an answer cites, and of those with the chunks nearest to a
-- vector: a kept question is answered by its document, so what is near the question is near a chunk of it.
-- Names that determine the plan are part of the text, as in `search_chunks`.
WITH nearest AS MATERIALIZED (
    SELECT e.document_id, e.vector::halfvec({dimensions}) <=> %(vector)b::halfvec({dimensions}) AS distance
      FROM search_entries_chunk e
     WHERE {by_vector} = 1 AND e.shard = {shard} AND e.search_index_id = {search_index_id}
       AND e.source_id = ANY(%(source_ids)s)
     ORDER BY distance LIMIT {chunks}
), near AS MATERIALIZED (
    SELECT document_id, min(distance) AS distance
      FROM (SELECT document_id, distance FROM nearest
             UNION ALL SELECT document_id, -1 FROM citations WHERE answer_id = %(answer_id)s::uuid) AS n
     GROUP BY document_id)
(SELECT q.id FROM near n CROSS JOIN LATERAL (SELECT id FROM questions WHERE document_id = n.document_id OFFSET 0) AS q
  ORDER BY n.distance, q.id LIMIT {most})
 UNION
(SELECT q.id FROM questions q WHERE q.source_id = ANY(%(source_ids)s) AND q.document_id IS NULL LIMIT {most});

-- name: questions_with_words
-- Kept questions that begin with a text, and those that have all its words, of which each may be incomplete.
(SELECT g.question_id AS id FROM suggestions g
  WHERE g.state = 'kept' AND g.source_id = ANY(%(source_ids)s)
    AND left(g.words, 200) COLLATE "C" >= left(%(beginning)s, 200)
    AND left(g.words, 200) COLLATE "C" < left(%(beginning)s, 200) || U&'\+10FFFF' LIMIT %(most)s)
 UNION
(SELECT g.question_id FROM suggestions g
  WHERE g.state = 'kept'
    AND array_to_tsvector(array_append(array_remove(string_to_array(left(g.words, 400), ' '), ''), ' ' || g.source_id::text))
        @@ %(terms)s::tsquery LIMIT %(most)s);

-- name: suggestions_like
-- Offered questions that begin with a text, then those that have all its words (the last one may be incomplete), then those
-- that mean something similar; only some questions are compared, or all of some sources.
SELECT f.id, f.question, f.source, f.document_id, f.uri, f.title, 1 - f.distance AS similarity
  FROM (SELECT o.*, o.vector <=> %(vector)s::halfvec AS distance,
               CASE WHEN starts_with(o.words, %(beginning)s) THEN 0
                    WHEN NOT EXISTS (SELECT FROM unnest(%(words)s::text[]) AS w WHERE strpos(o.words, w) = 0) THEN 1
                    ELSE 2 END AS tier
          FROM (SELECT * FROM offered_questions WHERE %(ids)s::uuid[] IS NULL AND source_id = ANY(%(source_ids)s)
                 UNION ALL
                SELECT q.* FROM unnest(%(ids)s::uuid[]) AS c (id)
                       CROSS JOIN LATERAL (SELECT * FROM offered_questions WHERE id = c.id OFFSET 0) AS q
                 WHERE q.source_id = ANY(%(source_ids)s)) AS o) AS f
 WHERE f.tier < 2 OR f.distance <= 1 - %(similarity)s::float8
 ORDER BY f.tier, f.distance, length(f.question), f.id LIMIT %(limit)s;

-- name: related_questions
-- Offered questions near an answer: those of documents that it cites, then those of others, which must be closer; the
-- closest first. Without a vector of the question, by their place in the document. Only some questions are compared, or
-- all of some sources.
SELECT f.id, f.question, f.source, f.document_id, f.uri, f.title, f.similarity
  FROM (SELECT o.*, 1 - (o.vector <=> %(vector)s::halfvec) AS similarity,
               EXISTS (SELECT FROM citations c
                        WHERE c.answer_id = %(answer_id)s AND c.document_id = o.document_id) AS is_cited
          FROM (SELECT * FROM offered_questions WHERE %(ids)s::uuid[] IS NULL AND source_id = ANY(%(source_ids)s)
                 UNION ALL
                SELECT q.* FROM unnest(%(ids)s::uuid[]) AS c (id)
                       CROSS JOIN LATERAL (SELECT * FROM offered_questions WHERE id = c.id OFFSET 0) AS q
                 WHERE q.source_id = ANY(%(source_ids)s)) AS o) AS f
 WHERE coalesce(f.similarity, CASE WHEN f.is_cited THEN 1 END)
       >= CASE WHEN f.is_cited THEN %(cited_similarity)s::float8 ELSE %(similarity)s::float8 END
 ORDER BY f.is_cited DESC, f.similarity DESC NULLS LAST, f.position, f.id LIMIT %(limit)s;

-- name: likely_questions
-- Offered questions of the documents that the newest answers to readers cite, those of the most answers first.
SELECT o.id, o.question, o.source, o.document_id, o.uri, o.title
  FROM (SELECT c.document_id, count(DISTINCT a.id) AS answer_count, max(a.created_at) AS last_at
          FROM (SELECT a.id, a.created_at FROM answers a
                 WHERE a.knowledge_base_id = %(knowledge_base_id)s AND a.state = 'done' AND NOT a.is_refused
                   AND a.created_at > now() - %(age)s::interval
                   AND NOT EXISTS (SELECT FROM answers_ahead h WHERE h.answer_id = a.id)
                 ORDER BY a.created_at DESC LIMIT %(answers)s) AS a
               JOIN citations c ON c.answer_id = a.id
         GROUP BY c.document_id) AS d
       JOIN offered_questions o ON o.knowledge_base_id = %(knowledge_base_id)s AND o.document_id = d.document_id
 ORDER BY o.position, d.answer_count DESC, d.last_at DESC, o.id LIMIT %(limit)s;

-- name: put_answer_ahead
-- An answer that nobody had asked for.
INSERT INTO answers_ahead (answer_id, run_id, code_version) VALUES (%(answer_id)s, %(run_id)s, %(code_version)s);

-- name: spent_ahead
-- What the answers that were made ahead today (UTC) cost, and how many have an unknown price.
SELECT coalesce(sum((a.usage ->> 'cost')::float8), 0)::float8 AS cost,
       count(*) FILTER (WHERE a.usage ->> 'cost' IS NULL) AS unknown_count
  FROM answers_ahead h JOIN answers a ON a.id = h.answer_id
 WHERE a.knowledge_base_id = %(knowledge_base_id)s
   AND h.created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
