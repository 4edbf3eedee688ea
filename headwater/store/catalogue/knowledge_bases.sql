-- name: insert_knowledge_base
-- A new knowledge base; no row when the slug is taken.
INSERT INTO knowledge_bases (slug, name, description, settings)
VALUES (%(slug)s, %(name)s, %(description)s, %(settings)s)
ON CONFLICT (slug) WHERE deleted_at IS NULL DO NOTHING
RETURNING *;

-- name: update_knowledge_base
-- Change the fields that differ; no row if none does.
UPDATE knowledge_bases
   SET slug = %(new_slug)s, name = %(name)s, description = %(description)s, settings = %(settings)s, updated_at = now()
 WHERE slug = %(slug)s AND deleted_at IS NULL
   AND (slug, name, description, settings) IS DISTINCT FROM (%(new_slug)s, %(name)s, %(description)s, %(settings)s::jsonb)
RETURNING *;

-- name: get_knowledge_base
-- One knowledge base by its slug.
SELECT * FROM knowledge_bases WHERE slug = %(slug)s AND deleted_at IS NULL;

-- name: lock_knowledge_base
-- One knowledge base by its slug, locked against changes until this transaction ends. Answers can still be stored:
-- their foreign key does not wait for this lock.
SELECT * FROM knowledge_bases WHERE slug = %(slug)s AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: list_knowledge_bases
-- Knowledge bases by slug, those after a given one; only visible ones if some are not.
SELECT * FROM knowledge_bases
 WHERE slug > %(after)s AND deleted_at IS NULL AND (%(visible)s::bigint[] IS NULL OR id = ANY(%(visible)s::bigint[]))
 ORDER BY slug LIMIT %(limit)s;

-- name: knowledge_base_digest
-- What the search index and the evaluation depend on, of one knowledge base or of each: the settings, the last data
-- versions of each source, the golden set. The version of a source's embeddings includes those of its documents and chunks;
-- its summaries have their own.
SELECT md5(k.settings::text || coalesce(string_agg(s.id || ':' || g.data_version, ',' ORDER BY s.id, g.stage), '')
           || coalesce((SELECT string_agg(q.question || q.relevant || coalesce(q.answer, '')
                                          || CASE WHEN q.is_unanswerable THEN '!' ELSE '' END, ',' ORDER BY q.question COLLATE "C")
                          FROM golden_questions q WHERE q.knowledge_base_id = k.id), '')) AS digest,
       k.index_digest, k.slug, k.managed_by
  FROM knowledge_bases k
       LEFT JOIN sources s ON s.knowledge_base_id = k.id AND s.state <> 'deleting'
       LEFT JOIN source_stages g ON g.source_id = s.id AND g.stage NOT IN ('documents', 'chunks', 'links', 'questions')
 WHERE (%(slug)s::text IS NULL OR k.slug = %(slug)s) AND k.deleted_at IS NULL
 GROUP BY k.id;

-- name: set_manager_of_knowledge_base
-- The Dagster project that manages a knowledge base.
UPDATE knowledge_bases SET managed_by = %(managed_by)s, updated_at = now() WHERE id = %(id)s AND deleted_at IS NULL;

-- name: set_index_digest
-- Store the digest of a knowledge base's last refresh.
UPDATE knowledge_bases SET index_digest = %(digest)s WHERE slug = %(slug)s AND deleted_at IS NULL;

-- name: categories_of_knowledge_base
-- Every category of its visible documents, with the number of documents.
SELECT v.category, count(*) AS document_count
  FROM search_indexes i JOIN published_documents p ON p.search_index_id = i.id
       JOIN document_versions v ON v.id = p.version_id
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.state = 'active' AND v.category <> ''
 GROUP BY v.category ORDER BY v.category;
