-- name: documents_to_question
-- Documents of a source whose newest version is split, and whose questions were not made of what they say now by a
-- recipe, in the order of their URIs. With a summary tree, the questions are made of their summaries.
SELECT d.id, n.summary_key
  FROM documents d
       JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s AND c.chunk_count > 0
       LEFT JOIN summary_tree n ON n.document_id = d.id AND n.kind = 'document' AND %(by_summary)s
       LEFT JOIN questioned_documents q ON q.document_id = d.id
 WHERE d.source_id = %(source_id)s AND d.removed_at IS NULL
   AND (q.version_id, q.settings_hash, q.recipe_hash, q.summary_key)
       IS DISTINCT FROM (d.head_version_id, %(settings_hash)s, %(recipe_hash)s, n.summary_key)
 ORDER BY d.uri COLLATE "C";

-- name: summaries_to_question
-- The summaries of some documents, with their titles, in the order of their ids.
SELECT d.id AS document_id, v.id AS version_id, coalesce(nullif(v.title, ''), d.uri) AS title,
       document_language(v.language, v.detected_language) AS language, s.text
  FROM documents d JOIN document_versions v ON v.id = d.head_version_id
       JOIN summary_tree n ON n.document_id = d.id AND n.kind = 'document' JOIN summaries s ON s.key = n.summary_key
 WHERE d.id = ANY(%(document_ids)s)
 ORDER BY d.id;

-- name: source_to_question
-- The summary of a source.
SELECT s.text FROM summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.source_id = %(source_id)s AND n.kind = 'source';

-- name: question_sets
-- The questions that were made of some texts.
SELECT key, questions FROM question_sets WHERE key = ANY(%(keys)s);

-- name: put_question_sets
-- Questions of texts; those that exist stay.
INSERT INTO question_sets (key, questions, model, prompt_version, prompt_tokens, completion_tokens, cost_usd, source_id,
                           run_id, code_version)
SELECT decode(value ->> 'key', 'hex'), ARRAY(SELECT jsonb_array_elements_text(value -> 'questions')), %(model)s,
       %(prompt_version)s, (value ->> 'prompt_tokens')::integer, (value ->> 'completion_tokens')::integer,
       (value ->> 'cost')::float8, %(source_id)s, %(run_id)s, %(code_version)s
  FROM jsonb_array_elements(%(sets)s)
 ORDER BY 1  -- two writers of the same keys must not wait for each other
ON CONFLICT (key) DO NOTHING;

-- name: questioned_without_text
-- Documents of a source that have questions but no longer any text, or are gone.
SELECT q.document_id
  FROM questioned_documents q JOIN documents d ON d.id = q.document_id
       LEFT JOIN chunk_sets c ON c.version_id = d.head_version_id AND c.settings_hash = %(settings_hash)s
 WHERE d.source_id = %(source_id)s AND (d.removed_at IS NOT NULL OR c.chunk_count = 0);

-- name: delete_other_questions
-- The questions of some documents, or of the whole source, but for some.
DELETE FROM questions
 WHERE source_id = %(source_id)s AND id <> ALL(%(kept)s::uuid[])
   AND CASE WHEN %(of_source)s THEN document_id IS NULL ELSE document_id = ANY(%(document_ids)s) END;

-- name: put_questions
-- Questions; unchanged ones are not written.
INSERT INTO questions AS q (id, source_id, document_id, position, question, set_key)
SELECT id, %(source_id)s, document_id, position, question, set_key
  FROM unnest(%(ids)s::uuid[], %(document_ids)s::uuid[], %(positions)s::integer[], %(questions)s::text[],
              %(keys)s::bytea[]) AS t (id, document_id, position, question, set_key)
ON CONFLICT (id) DO UPDATE SET position = excluded.position, question = excluded.question, set_key = excluded.set_key
 WHERE (q.position, q.question, q.set_key) IS DISTINCT FROM (excluded.position, excluded.question, excluded.set_key);

-- name: forget_questioned
-- What the questions of some documents were made of.
DELETE FROM questioned_documents WHERE document_id = ANY(%(document_ids)s);

-- name: note_questioned
-- What the questions of some documents are made of.
INSERT INTO questioned_documents AS q (document_id, version_id, settings_hash, recipe_hash, summary_key)
SELECT document_id, version_id, %(settings_hash)s, %(recipe_hash)s, summary_key
  FROM unnest(%(document_ids)s::uuid[], %(version_ids)s::uuid[], %(summary_keys)s::bytea[])
       AS t (document_id, version_id, summary_key)
ON CONFLICT (document_id) DO UPDATE
   SET version_id = excluded.version_id, settings_hash = excluded.settings_hash, recipe_hash = excluded.recipe_hash,
       summary_key = excluded.summary_key;

-- name: delete_all_questions
-- The questions of a source, when its knowledge base no longer wants any.
DELETE FROM questions WHERE source_id = %(source_id)s;

-- name: forget_all_questioned
-- What the questions of a source's documents were made of.
DELETE FROM questioned_documents q USING documents d WHERE d.id = q.document_id AND d.source_id = %(source_id)s;

-- name: questions_digest
-- A digest over the questions of a source, and their number.
SELECT md5(coalesce(string_agg(q.id::text || q.position, ',' ORDER BY q.id), '')) AS data_version, count(*) AS row_count,
       count(DISTINCT q.document_id) AS document_count
  FROM questions q WHERE q.source_id = %(source_id)s;

-- name: has_questions
-- Whether a source has questions, or documents that were asked about.
SELECT EXISTS (SELECT FROM questions WHERE source_id = %(source_id)s)
       OR EXISTS (SELECT FROM questioned_documents q JOIN documents d ON d.id = q.document_id
                   WHERE d.source_id = %(source_id)s) AS has_any;

-- name: delete_unused_question_sets
-- Questions of texts that no document has any more, and that were made some time ago.
DELETE FROM question_sets s
 WHERE s.created_at < %(before)s AND NOT EXISTS (SELECT FROM questions q WHERE q.set_key = s.key);
