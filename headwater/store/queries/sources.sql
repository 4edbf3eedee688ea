-- name: insert_source
-- A new source; no row when the slug is taken within its knowledge base.
INSERT INTO sources (knowledge_base_id, slug, kind, config)
VALUES (%(knowledge_base_id)s, %(slug)s, %(kind)s, %(config)s)
ON CONFLICT (knowledge_base_id, slug) DO NOTHING
RETURNING id;

-- name: update_source
-- Change what differs; no row when nothing does.
UPDATE sources SET kind = %(kind)s, config = %(config)s, updated_at = now()
 WHERE id = %(id)s AND (kind, config) IS DISTINCT FROM (%(kind)s, %(config)s::jsonb)
RETURNING id;

-- name: list_sources
-- Sources of one knowledge base (or of all), with how many documents each has. One that is syncing although nobody holds
-- its lock was left so by a worker that died.
SELECT s.id, s.knowledge_base_id, s.slug, s.kind, s.config, s.synced_at, s.created_at, k.slug AS knowledge_base,
       CASE WHEN w.is_lost THEN 'failed' ELSE s.state END AS state,
       CASE WHEN w.is_lost THEN 'The worker of its last sync is gone. Sync again to finish.' ELSE s.error END AS error,
       (SELECT count(*) FROM documents d WHERE d.source_id = s.id AND d.removed_at IS NULL) AS document_count
  FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id,
       LATERAL (SELECT s.state = 'syncing' AND NOT is_locked('source:' || s.id) AS is_lost) AS w
 WHERE (%(knowledge_base)s::text IS NULL OR k.slug = %(knowledge_base)s)
   AND (%(slug)s::text IS NULL OR s.slug = %(slug)s)
 ORDER BY k.slug, s.slug;

-- name: lock_sources_of
-- Wait for whoever publishes from a knowledge base's sources (or one), and keep others from beginning to.
SELECT s.id FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE k.slug = %(slug)s AND (%(source)s::text IS NULL OR s.slug = %(source)s) ORDER BY s.id FOR UPDATE OF s;

-- name: share_index_locks_of
-- Wait for a knowledge base's indexes that are on the move.
SELECT pg_advisory_xact_lock_shared(hashtextextended('search_index:' || i.id, 0))
  FROM search_indexes i JOIN knowledge_bases k ON k.id = i.knowledge_base_id WHERE k.slug = %(slug)s ORDER BY i.id;

-- name: delete_source
-- A source with everything that hangs on it by a foreign key.
DELETE FROM sources s USING knowledge_bases k
 WHERE k.id = s.knowledge_base_id AND k.slug = %(slug)s AND s.slug = %(source)s;

-- name: mark_answers_stale
-- Answers that cited a source that is about to go.
UPDATE answers a SET stale_at = now()
  FROM citations c, sources s, knowledge_bases k
 WHERE c.answer_id = a.id AND c.source_id = s.id AND k.id = s.knowledge_base_id
   AND k.slug = %(slug)s AND s.slug = %(source)s AND a.stale_at IS NULL;
