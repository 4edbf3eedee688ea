-- name: count_everything
-- What the metrics show: syncs by their state in the last day, sources that wait or are being synced, entries of search
-- indexes by the state of the index, sources and knowledge bases.
SELECT 'sources' AS name, s.state AS label, count(*) AS value FROM sources s GROUP BY s.state
UNION ALL
SELECT 'sync_sources', t.state, count(*) FROM sync_sources t
 WHERE t.state IN ('pending', 'queued', 'syncing') OR t.finished_at > now() - interval '1 day' GROUP BY t.state
UNION ALL
SELECT 'index_entries', i.state, coalesce(sum(c.entry_count), 0)
  FROM search_indexes i LEFT JOIN search_statistics c ON c.search_index_id = i.id AND c.kind = 'chunk'
 GROUP BY i.state
UNION ALL
SELECT 'knowledge_bases', '', count(*) FROM knowledge_bases WHERE deleted_at IS NULL;
