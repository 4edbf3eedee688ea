-- name: grown_tables
-- Tables and partitions that have grown by half since they were last analysed, and have more than a page. An array makes
-- Postgres look up the sizes of these tables only; each size is read from the file system.
SELECT c.relname AS name FROM pg_class c
 WHERE c.oid = ANY (ARRAY(SELECT to_regclass(n)::oid FROM unnest(%(names)s::text[]) AS n
                           UNION ALL
                          SELECT p.relid::oid FROM unnest(%(divided)s::text[]) AS n, pg_partition_tree(to_regclass(n)) AS p
                           WHERE p.isleaf))
   AND pg_relation_size(c.oid) / current_setting('block_size')::integer > 1.5 * c.relpages + 1
 ORDER BY c.relname;

-- name: analyze_table
-- Count a table's rows, and how often each column's values occur.
ANALYZE {table};
