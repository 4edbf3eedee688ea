-- name: index_builds
-- The indexes that are being built: the session that builds one holds its lock, and runs everything as one command.
-- The new table is not visible to others yet, so what Postgres says of its progress is found by the session.
SELECT i.id AS search_index_id, a.query_start AS started_at,
       CASE WHEN p.pid IS NULL THEN 'copying' WHEN p.phase LIKE '%%loading tuples%%' THEN 'indexing_vectors'
            ELSE 'indexing' END AS step,
       CASE WHEN p.blocks_total > 0 THEN least(p.blocks_done::float8 / p.blocks_total, 1) END AS share
  FROM search_indexes i, hashtextextended('search_index:' || i.id, 0) AS key,
       pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid LEFT JOIN pg_stat_progress_create_index p ON p.pid = l.pid
 WHERE i.knowledge_base_id = %(knowledge_base_id)s AND i.shard = 0
   AND l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.mode = 'ExclusiveLock'
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND l.classid = ((key >> 32) & 4294967295)::oid AND l.objid = (key & 4294967295)::oid
   AND a.state = 'active' AND starts_with(a.query, '-- name: build_index')
 ORDER BY i.id;
