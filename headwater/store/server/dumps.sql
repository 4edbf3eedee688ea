-- name: allow_idling
-- A server may end transactions that wait; ours waits for pg_dump.
SET LOCAL idle_in_transaction_session_timeout = 0;

-- name: export_snapshot
-- Let pg_dump see what this transaction sees.
SELECT pg_export_snapshot() AS name;

-- name: list_tables
-- Every table that is not an extension's, partitions as part of theirs.
SELECT n.nspname AS schema_name, c.relname AS table_name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT LIKE 'pg\_%%' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.classid = 'pg_class'::regclass AND e.deptype = 'e')
 ORDER BY 1, 2;

-- name: count_rows
-- How many rows a table has.
SELECT count(*) AS row_count FROM {table};

-- name: applied_migrations
-- What made the schema.
SELECT name FROM schema_migrations ORDER BY name;

-- name: analyze_everything
-- A restored database has no statistics to plan by.
ANALYZE;

-- name: drop_table
-- Drop a table that a failed restore left behind.
DROP TABLE {table} CASCADE;
