-- What search reads is an entry of some kind: of a chunk, of a heading, and of what comes. Headings lose their own table;
-- nothing is embedded again, and the HNSW of a large index stays as it is.
ALTER TABLE search_entries RENAME TO entries_before;
ALTER TABLE search_weights RENAME TO weights_before;
DO $$
DECLARE found record;
BEGIN  -- Postgres 18 names what may not be NULL, and the new tables are to have the names of a new database
    FOR found IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
                  WHERE contype = 'n' AND conrelid IN ('entries_before'::regclass, 'weights_before'::regclass) LOOP
        EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', found.owner, found.conname, 'before_' || found.conname);
    END LOOP;
END $$;

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
CREATE TABLE search_entries_chunk_shared PARTITION OF search_entries_chunk
    FOR VALUES IN (0) WITH (toast_tuple_target = 8160);
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
CREATE TABLE search_weights_chunk_shared PARTITION OF search_weights_chunk
    FOR VALUES IN (0) WITH (toast_tuple_target = 8160);

-- The partitions of large indexes go over whole.
DO $$
DECLARE large bigint; name text;
BEGIN
    FOR large IN SELECT DISTINCT shard FROM search_indexes WHERE shard <> 0 LOOP
        FOREACH name IN ARRAY ARRAY['entries', 'weights'] LOOP
            EXECUTE format('ALTER TABLE %1$s_before DETACH PARTITION search_%1$s_%2$s', name, large);
            EXECUTE format('ALTER TABLE search_%1$s_%2$s RENAME TO search_%1$s_chunk_%2$s', name, large);
            EXECUTE format('ALTER TABLE search_%1$s_chunk_%2$s RENAME COLUMN chunk_id TO target_id', name, large);
            EXECUTE format('ALTER TABLE search_%1$s_chunk_%2$s ADD COLUMN kind text NOT NULL DEFAULT ''chunk''', name, large);
            EXECUTE format('ALTER TABLE search_%1$s_chunk_%2$s ALTER COLUMN kind DROP DEFAULT', name, large);
            EXECUTE format('ALTER TABLE search_%1$s_chunk ATTACH PARTITION search_%1$s_chunk_%2$s FOR VALUES IN (%2$s)',
                           name, large);
        END LOOP;
    END LOOP;
END $$;

INSERT INTO search_entries_chunk_shared (shard, search_index_id, target_id, document_id, source_id, title, embedding_hash,
                                         vector, kind)
SELECT shard, search_index_id, chunk_id, document_id, source_id, title, embedding_hash, vector, 'chunk'
  FROM entries_before WHERE shard = 0;
INSERT INTO search_weights_chunk_shared (shard, search_index_id, target_id, document_id, source_id, length, terms, weights,
                                         kind)
SELECT shard, search_index_id, chunk_id, document_id, source_id, length, terms, weights, 'chunk'
  FROM weights_before WHERE shard = 0;
DROP TABLE entries_before, weights_before;

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
