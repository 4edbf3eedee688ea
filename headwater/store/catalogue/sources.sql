-- name: insert_source
-- A new source; no row if the slug is taken within its knowledge base, or if that was deleted meanwhile.
INSERT INTO sources (knowledge_base_id, slug, kind, config, refresh_seconds, schedule, time_zone, scheduled_at, tags,
                     category, paused_at, deletion_guard, workers)
SELECT k.id, %(slug)s, %(kind)s, %(config)s, %(refresh)s, %(schedule)s, %(time_zone)s, %(scheduled_at)s, %(tags)s,
       %(category)s, CASE WHEN %(paused)s THEN now() END, %(deletion_guard)s, %(workers)s
  FROM knowledge_bases k WHERE k.id = %(knowledge_base_id)s AND k.deleted_at IS NULL FOR SHARE
ON CONFLICT (knowledge_base_id, slug) WHERE state <> 'deleting' DO NOTHING
RETURNING id;

-- name: update_source
-- Change the fields that differ; no row if none does. A time that passed while it was paused is forgotten.
UPDATE sources
   SET kind = %(kind)s, config = %(config)s, refresh_seconds = %(refresh)s, schedule = %(schedule)s,
       time_zone = %(time_zone)s, tags = %(tags)s, category = %(category)s, deletion_guard = %(deletion_guard)s,
       workers = %(workers)s, paused_at = CASE WHEN %(paused)s THEN coalesce(paused_at, now()) END, updated_at = now(),
       scheduled_at = CASE WHEN (schedule, time_zone, paused_at IS NOT NULL)
                                IS DISTINCT FROM (%(schedule)s::text, %(time_zone)s::text, %(paused)s)
                           THEN %(scheduled_at)s::timestamptz ELSE scheduled_at END
 WHERE id = %(id)s
   AND (kind, config, refresh_seconds, schedule, time_zone, tags, category, paused_at IS NOT NULL,
        deletion_guard, workers)
       IS DISTINCT FROM (%(kind)s, %(config)s::jsonb, %(refresh)s::integer, %(schedule)s::text, %(time_zone)s::text,
                         %(tags)s::text[], %(category)s, %(paused)s, %(deletion_guard)s::double precision,
                         %(workers)s::integer)
RETURNING id;

-- name: list_sources
-- Sources of one knowledge base (or of all, or some by id), with their number of documents. A source that is `syncing`
-- without a lock was left by a dead worker; another one will take it, but if a project manages it, that has to run. A
-- deleted source comes after a new one with its slug.
SELECT s.*, k.slug AS knowledge_base,
       CASE WHEN w.is_lost THEN CASE WHEN s.managed_by IS NULL THEN 'pending' ELSE 'failed' END ELSE s.state END AS state,
       CASE WHEN w.is_lost THEN 'The worker of its last sync is gone. ' ||
            coalesce('The next run of the Dagster project ' || s.managed_by || ' takes it up.',
                     'Another takes it up once Dagster runs, or sync again.')
            ELSE s.error END AS error,
       CASE WHEN s.paused_at IS NULL AND s.state <> 'deleting'
            THEN least(coalesce(w.tried_at + make_interval(secs => s.refresh_seconds),
                                CASE WHEN s.refresh_seconds IS NOT NULL THEN s.created_at END), s.scheduled_at)
       END AS next_sync_at,
       (SELECT count(*) FROM documents d WHERE d.source_id = s.id AND d.removed_at IS NULL) AS document_count,
       (SELECT t.skipped FROM sync_sources t
         WHERE t.source_id = s.id AND t.finished_at IS NOT NULL AND t.skipped IS NOT NULL
         ORDER BY t.finished_at DESC LIMIT 1) AS skipped
  FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id AND k.deleted_at IS NULL,
       LATERAL (SELECT s.state = 'syncing' AND NOT is_locked('source:' || s.id) AS is_lost,
                       greatest(s.synced_at, (SELECT max(t.finished_at) FROM sync_sources t WHERE t.source_id = s.id))
                       AS tried_at) AS w
 WHERE (%(knowledge_base)s::text IS NULL OR k.slug = %(knowledge_base)s)
   AND (%(slug)s::text IS NULL OR s.slug = %(slug)s)
   AND (%(ids)s::bigint[] IS NULL OR s.id = ANY(%(ids)s))
   AND (%(with_deleting)s OR s.state <> 'deleting')
 ORDER BY k.slug, s.slug, s.state = 'deleting', s.id;

-- name: source_names
-- Sources of one knowledge base, or all, by their names: what else people are shown of them counts their documents.
SELECT k.slug AS knowledge_base, s.slug AS source, s.tags, s.paused_at IS NOT NULL AS is_paused, s.managed_by
  FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id AND k.deleted_at IS NULL
 WHERE s.state <> 'deleting' AND (%(knowledge_base)s::text IS NULL OR k.slug = %(knowledge_base)s)
 ORDER BY k.slug, s.slug;

-- name: due_sources
-- Sources whose interval has passed since their last sync ended, whether it succeeded or not, whose schedule has come to
-- pass, or whose sync somebody awaits, without waiting or running work. A dead worker does not count: otherwise its
-- source would never be due again. What a Dagster project manages is due there.
SELECT s.id
  FROM sources s JOIN knowledge_bases k ON k.id = s.knowledge_base_id AND k.deleted_at IS NULL
 WHERE (s.refresh_seconds IS NOT NULL OR s.scheduled_at IS NOT NULL OR s.awaited_at IS NOT NULL)
   AND s.paused_at IS NULL AND s.managed_by IS NULL AND s.state <> 'deleting'
   AND (s.awaited_at IS NOT NULL OR s.scheduled_at <= coalesce(%(now)s::timestamptz, now()) OR
        s.refresh_seconds IS NOT NULL AND
        coalesce(greatest(s.synced_at, (SELECT max(t.finished_at) FROM sync_sources t WHERE t.source_id = s.id))
                 + make_interval(secs => s.refresh_seconds), '-infinity') <= coalesce(%(now)s::timestamptz, now()))
   AND NOT EXISTS (
       SELECT FROM sync_sources t
        WHERE t.source_id = s.id AND CASE t.state WHEN 'pending' THEN true
                                                  WHEN 'queued' THEN is_locked('batch:' || t.batch)
                                                  WHEN 'syncing' THEN is_locked('source:' || t.source_id)
                                                  ELSE false END);

-- name: set_manager_of_source
-- The Dagster project that manages a source.
UPDATE sources SET managed_by = %(managed_by)s, updated_at = now() WHERE id = %(id)s;

-- name: pass_tick
-- A sync of a scheduled source was requested; its schedule may have been changed meanwhile, with its own next time.
UPDATE sources SET scheduled_at = %(scheduled_at)s
 WHERE id = %(id)s AND schedule = %(schedule)s AND time_zone = %(time_zone)s;

-- name: confirm_deletions
-- Somebody agrees to as many deletions as were held back, of the sources that held any back.
UPDATE sources SET confirmed_deletions = held_deletions
 WHERE id = ANY(%(source_ids)s) AND held_deletions IS NOT NULL
RETURNING id;

-- name: await_sync
-- Somebody wants a sync of a source, but one is running that may have listed its documents already.
UPDATE sources SET awaited_at = coalesce(awaited_at, now()) WHERE id = %(source_id)s;

-- name: source_ids
-- Every source with a row.
SELECT id FROM sources;

-- name: filtered_sources
-- The sources of a knowledge base, with the fields that filters use.
SELECT s.id, s.slug, s.tags && %(tags)s::text[] AS has_tag,
       EXISTS (SELECT FROM unnest(%(categories)s::text[]) AS f WHERE s.category = f OR starts_with(s.category, f || '/'))
       AS is_in_category
  FROM sources s WHERE s.knowledge_base_id = %(knowledge_base_id)s AND s.state <> 'deleting';
