-- name: allow_idling
-- Some servers end idle transactions; ours has to wait for pg_dump.
SET LOCAL idle_in_transaction_session_timeout = 0;

-- name: export_snapshot
-- Let pg_dump see what this transaction sees.
SELECT pg_export_snapshot() AS name;

-- name: list_tables
-- Every table that does not belong to an extension; partitions count as part of their tables.
SELECT n.nspname AS schema_name, c.relname AS table_name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT LIKE 'pg\_%%' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.classid = 'pg_class'::regclass AND e.deptype = 'e')
 ORDER BY 1, 2;

-- name: count_rows
-- How many rows a table has.
SELECT count(*) AS row_count FROM {table};

-- name: applied_migrations
-- The migrations that made the schema.
SELECT name FROM schema_migrations ORDER BY name;

-- name: analyze_everything
-- Update statistics: a restored database has none for the planner.
ANALYZE;

-- name: drop_table
-- Drop a table that a failed restore left behind.
DROP TABLE {table} CASCADE;
