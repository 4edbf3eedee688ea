-- name: source_readiness
-- Each source of a knowledge base, or of those that a filter names: whether readers see documents of it, how its last sync
-- ended, and the sync that is waiting or running, if any.
SELECT s.slug AS source, s.error, s.synced_at IS NOT NULL AS was_synced,
       EXISTS (SELECT FROM publications u JOIN documents d ON d.id = u.document_id
                WHERE d.source_id = s.id AND u.withdrawn_at IS NULL) AS has_documents,
       t.id IS NOT NULL AS has_open_sync, coalesce(t.state = 'syncing' AND is_locked('source:' || s.id), false) AS is_syncing,
       coalesce(t.documents_done, 0) AS documents_done, t.documents_total
  FROM sources s LEFT JOIN LATERAL (
           SELECT * FROM sync_sources o WHERE o.source_id = s.id AND o.state IN ('pending', 'queued', 'syncing')
              AND (s.managed_by IS NULL OR is_locked('source:' || s.id))
            ORDER BY o.state = 'syncing' DESC, o.id LIMIT 1) AS t ON true
 WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting'
   AND (%(slugs)s::text[] IS NULL OR s.slug = ANY(%(slugs)s))
 ORDER BY s.slug;
