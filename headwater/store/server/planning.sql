-- name: grown_tables
-- Tables that are half as large again as when they were last analysed, and more than a page.
SELECT c.relname AS name FROM pg_class c
 WHERE c.oid = ANY (SELECT to_regclass(n)::oid FROM unnest(%(names)s::text[]) AS n)
   AND pg_relation_size(c.oid) / current_setting('block_size')::integer > 1.5 * c.relpages + 1
 ORDER BY c.relname;

-- name: analyze_table
-- Count a table's rows, and how often each column's values occur.
ANALYZE {table};
