-- What search reads is an entry of some kind: of a chunk, of a heading, and of what comes. Headings lose their own table;
-- nothing is embedded again, and the HNSW of a large index stays as it is.

-- No row is copied: the partitions, shared and large, go over as they are; those of indexes that are gone go.
DO $$
DECLARE part record; found text;
BEGIN
    FOR part IN SELECT h.inhparent::regclass AS parent, c.oid::regclass AS name,
                       i.id IS NULL AND c.relname NOT LIKE '%\_shared' AS is_orphan
                  FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
                       LEFT JOIN search_indexes i ON i.shard::text = substring(c.relname FROM '[0-9]+$')
                 WHERE h.inhparent IN ('search_entries'::regclass, 'search_weights'::regclass) LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', part.parent, part.name);
        IF part.is_orphan THEN
            EXECUTE format('DROP TABLE %s', part.name);
            CONTINUE;
        END IF;
        -- Postgres 18 names what may not be NULL; the new tables are to have the names of a new database.
        FOR found IN SELECT conname FROM pg_constraint WHERE contype = 'n' AND conrelid = part.name LOOP
            EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', part.name, found, 'before_' || found);
        END LOOP;
    END LOOP;
END $$;
DROP TABLE search_entries, search_weights;

CREATE TABLE search_entries (
    shard           bigint NOT NULL,
    search_index_id bigint NOT NULL,
    target_id       uuid NOT NULL,
    document_id     uuid NOT NULL,
    source_id       bigint NOT NULL,
    title           text NOT NULL,
    embedding_hash  bytea NOT NULL,
    vector          halfvec NOT NULL,
    kind            text NOT NULL
) PARTITION BY LIST (kind);
CREATE TABLE search_entries_chunk PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('chunk') PARTITION BY LIST (shard);
CREATE TABLE search_entries_heading PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('heading') WITH (toast_tuple_target = 8160);

CREATE TABLE search_weights (
    shard           bigint NOT NULL,
    search_index_id bigint NOT NULL,
    target_id       uuid NOT NULL,
    document_id     uuid NOT NULL,
    source_id       bigint NOT NULL,
    length          integer NOT NULL,  -- words, those of title and headings counted as often as they are boosted
    terms           integer[] NOT NULL,
    weights         sparsevec NOT NULL,
    kind            text NOT NULL
) PARTITION BY LIST (kind);
CREATE TABLE search_weights_chunk PARTITION OF search_weights
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('chunk') PARTITION BY LIST (shard);

DO $$
DECLARE part record; found record; old text; new text;
BEGIN
    FOR part IN SELECT 'search_' || kind AS root, suffix, CASE suffix WHEN 'shared' THEN '0' ELSE suffix END AS shard
                  FROM unnest(ARRAY['entries', 'weights']) AS kind,
                       (SELECT 'shared' AS suffix
                         UNION ALL SELECT DISTINCT shard::text FROM search_indexes WHERE shard <> 0) AS parts LOOP
        old := part.root || '_' || part.suffix;
        new := part.root || '_chunk_' || part.suffix;
        EXECUTE format('ALTER TABLE %s RENAME TO %s', old, new);
        EXECUTE format('ALTER TABLE %s RENAME COLUMN chunk_id TO target_id', new);
        EXECUTE format('ALTER TABLE %s ADD COLUMN kind text NOT NULL DEFAULT %L', new, 'chunk');
        EXECUTE format('ALTER TABLE %s ALTER COLUMN kind DROP DEFAULT', new);
        FOR found IN SELECT c.conname AS old, p.conname AS new
                       FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
                            JOIN pg_attribute b ON b.attrelid = (part.root || '_chunk')::regclass AND b.attname = a.attname
                            JOIN pg_constraint p ON p.contype = 'n' AND p.conrelid = b.attrelid AND p.conkey[1] = b.attnum
                      WHERE c.contype = 'n' AND c.conrelid = new::regclass AND c.conname <> p.conname LOOP
            EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', new, found.old, found.new);
        END LOOP;
        EXECUTE format('ALTER TABLE %s_chunk ATTACH PARTITION %s FOR VALUES IN (%s)', part.root, new, part.shard);
    END LOOP;
    FOR found IN SELECT c.relname AS old, replace(c.relname, '_shared_', '_chunk_shared_') AS new
                   FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                  WHERE i.indrelid IN ('search_entries_chunk_shared'::regclass, 'search_weights_chunk_shared'::regclass)
                    AND c.relname ~ '^search_(entries|weights)_shared_' LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', found.old, found.new);
    END LOOP;
END $$;

CREATE INDEX search_entries_by_document ON search_entries (document_id, search_index_id);
CREATE INDEX search_entries_by_source ON search_entries (source_id, search_index_id);
CREATE INDEX search_weights_by_document ON search_weights (document_id, search_index_id);
CREATE INDEX search_weights_by_source ON search_weights (source_id, search_index_id);
CREATE INDEX search_weights_by_terms ON search_weights USING gin (terms);

-- A document's breadcrumb as the target of an entry.
CREATE FUNCTION heading_id(document_id uuid, text_hash bytea) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT md5(uuid_send(document_id) || text_hash)::uuid
$$;
INSERT INTO search_entries (shard, search_index_id, target_id, document_id, source_id, title, embedding_hash, vector, kind)
SELECT 0, h.search_index_id, heading_id(h.document_id, h.embedding_hash), h.document_id, d.source_id, v.title,
       h.embedding_hash, h.vector, 'heading'
  FROM search_headings h JOIN documents d ON d.id = h.document_id
       JOIN published_documents p ON p.search_index_id = h.search_index_id AND p.document_id = h.document_id
       JOIN document_versions v ON v.id = p.version_id;
DROP TABLE search_headings;

-- Each kind of entry that is found by words counts its own.
ALTER TABLE search_statistics ADD COLUMN kind text NOT NULL DEFAULT 'chunk';
ALTER TABLE search_statistics ALTER COLUMN kind DROP DEFAULT, DROP CONSTRAINT search_statistics_pkey,
    ADD PRIMARY KEY (search_index_id, kind);
ALTER TABLE search_terms ADD COLUMN kind text NOT NULL DEFAULT 'chunk';
ALTER TABLE search_terms ALTER COLUMN kind DROP DEFAULT, DROP CONSTRAINT search_terms_pkey,
    ADD PRIMARY KEY (search_index_id, kind, term_id);

-- What a version gives an index to find, under some chunk settings: each target with the text that is embedded (`prose`,
-- below its breadcrumb) and the one that its words are read from. A target may come more than once, and without a
-- hash there is nothing to embed.
CREATE VIEW version_entries AS
SELECT 'chunk'::text AS kind, vc.version_id, vc.settings_hash, vc.chunk_id AS target_id, vc.embedding_hash, vc.breadcrumb,
       (SELECT coalesce(c.prose, c.text) FROM chunks c WHERE c.id = vc.chunk_id) AS prose,
       (SELECT c.text FROM chunks c WHERE c.id = vc.chunk_id) AS text
  FROM version_chunks vc
 UNION ALL
SELECT 'heading', vc.version_id, vc.settings_hash,
       heading_id((SELECT v.document_id FROM document_versions v WHERE v.id = vc.version_id), vc.heading_hash),
       vc.heading_hash, vc.breadcrumb, '', ''
  FROM version_chunks vc;
ANALYZE search_entries;
ANALYZE search_weights;
