-- name: own_schema
-- The schema of our tables, and whether we may create the role that loads them.
SELECT current_schema() AS name, r.rolsuper OR r.rolcreaterole AS makes_roles
  FROM pg_roles r WHERE r.rolname = current_user;

-- name: loadable_tables
-- Every table that rows can be loaded into, with the columns that are not computed; for a partition, also its
-- top-level table.
SELECT c.relname AS name, c.relkind = 'p' AS is_divided, p.relname AS parent, array_agg(a.attname::text) AS columns
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  LEFT JOIN pg_class p ON c.relispartition AND p.oid = pg_partition_root(c.oid)
 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = c.oid AND e.classid = 'pg_class'::regclass AND e.deptype = 'e')
 GROUP BY 1, 2, 3 ORDER BY 1;

-- name: own_sequences
-- The sequences of our tables.
SELECT relname AS name FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace;

-- name: foreign_keys
-- The foreign keys between our tables; for partitions, those of their parent.
SELECT conname AS name, conrelid::regclass::text AS table_name, pg_get_constraintdef(oid) AS definition
  FROM pg_constraint
 WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace ORDER BY 2, 1;

-- name: drop_foreign_key
-- Drop a foreign key: a dump lists tables by name, so a row may come before the one it refers to.
ALTER TABLE {table} DROP CONSTRAINT {name};

-- name: add_foreign_key
-- This checks every row that was loaded.
ALTER TABLE {table} ADD CONSTRAINT {name} {definition};

-- name: empty_table
-- Delete rows that creating the schema inserted; the dump has its own.
TRUNCATE {table} CASCADE;

-- name: make_loader
-- Create a role that may only insert rows into our tables; it disappears with the transaction.
CREATE ROLE {role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
GRANT {role} TO CURRENT_USER WITH SET TRUE;
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT INSERT ON ALL TABLES IN SCHEMA {schema} TO {role};

-- name: be_loader
-- Switch to the role.
SET LOCAL ROLE {role};

-- name: be_ourselves
-- Switch back to the tables' owner.
RESET ROLE;

-- name: drop_loader
-- Drop the role.
REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role};
REVOKE ALL ON SCHEMA {schema} FROM {role};
DROP ROLE {role};

-- name: load_rows
-- Rows as text; no statement comes from a backup.
COPY {table} ({columns}) FROM STDIN;

-- name: ledger_rows
-- The names of the migrations in the new schema.
SELECT {column}::text AS name FROM {table};

-- name: make_restored_partition
-- Create the partition of a large index, with the columns of its table.
CREATE TABLE {table} (LIKE {parent} INCLUDING ALL) WITH (toast_tuple_target = 8160);

-- name: restored_index
-- The index of a partition.
SELECT shard, dimensions FROM search_indexes WHERE id = %(id)s;

-- name: attach_restored_partition
-- Attach the partition; this checks that every row belongs to its index.
ALTER TABLE {parent} ATTACH PARTITION {table} FOR VALUES IN ({id});

-- name: set_sequence
-- Set a sequence to its number in the backup, so that no number is used twice.
SELECT setval(format('%%I.%%I', current_schema(), %(name)s::text)::regclass, %(value)s, %(is_called)s);

-- name: let_load
-- Let the same role load the new partition.
GRANT INSERT ON {table} TO {role};
