-- Keyword search by BM25, headings as an index of their own, and what a chunk says of itself.

ALTER TABLE document_versions ADD COLUMN dated_at timestamptz;  -- when its source says it was written or changed
ALTER TABLE chunks
    ADD COLUMN token_count integer NOT NULL DEFAULT 0,  -- an estimate that needs no model
    ADD COLUMN quality     real NOT NULL DEFAULT 0,  -- between 0 and 1
    ADD COLUMN outgoing    text[] NOT NULL DEFAULT '{}';  -- targets of its links, as they are written
ALTER TABLE version_chunks
    ADD COLUMN parent_position integer,  -- of the chunk that it stands under
    ADD COLUMN heading_hash    bytea,  -- of its breadcrumb, embedded alone; NULL without one
    ADD COLUMN anchors         text[] NOT NULL DEFAULT '{}';  -- what a link names to lead to a heading in it
CREATE INDEX version_chunks_by_heading ON version_chunks (heading_hash);

DROP INDEX search_entries_by_words;
ALTER TABLE search_entries DROP COLUMN words, DROP COLUMN category;
ALTER TABLE search_entries_shared SET (toast_tuple_target = 8160);
CREATE INDEX search_entries_by_source ON search_entries (source_id, search_index_id);

-- The number of a term in sparse vectors; `headwater.lexical.bm25.term_id` computes the same.
CREATE FUNCTION term_id(lexeme text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ((('x' || left(md5(lexeme), 8))::bit(32)::bigint & 536870911) + 1)::integer
$$;

-- What keyword search reads of an entry, apart from its vector: weighing an index anew touches no HNSW. `weights` is
-- BM25's saturated term frequencies; `terms` are their numbers, each XORed with the index's `term_scope`, so that indexes
-- that share the table do not find each other's entries. Rows stay in line: search reads thousands of them.
CREATE TABLE search_weights (
    shard           bigint NOT NULL,
    search_index_id bigint NOT NULL,
    chunk_id        uuid NOT NULL,
    document_id     uuid NOT NULL,
    source_id       bigint NOT NULL,
    length          integer NOT NULL,  -- words, those of title and headings counted as often as they are boosted
    terms           integer[] NOT NULL,
    weights         sparsevec NOT NULL,
    PRIMARY KEY (shard, search_index_id, chunk_id)
) PARTITION BY LIST (shard);
CREATE TABLE search_weights_shared PARTITION OF search_weights FOR VALUES IN (0) WITH (toast_tuple_target = 8160);
CREATE INDEX search_weights_by_document ON search_weights (document_id, search_index_id);
CREATE INDEX search_weights_by_source ON search_weights (source_id, search_index_id);
CREATE INDEX search_weights_by_terms ON search_weights USING gin (terms);

-- Large indexes have their own partition of search_entries, and need one here.
DO $$
DECLARE large bigint;
BEGIN
    FOR large IN SELECT DISTINCT shard FROM search_indexes WHERE shard <> 0 LOOP
        EXECUTE format('CREATE TABLE search_weights_%s PARTITION OF search_weights FOR VALUES IN (%s)'
                       ' WITH (toast_tuple_target = 8160)', large, large);
    END LOOP;
END $$;

-- Of each index: how many entries have weights, how long they are together, and the average length that the weights
-- were made for.
CREATE TABLE search_statistics (
    search_index_id bigint PRIMARY KEY REFERENCES search_indexes ON DELETE CASCADE,
    entry_count     bigint NOT NULL,
    length_sum      bigint NOT NULL,
    weighed_length  double precision NOT NULL
);

-- How many entries of an index hold each term.
CREATE TABLE search_terms (
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    term_id         integer NOT NULL,
    entry_count     integer NOT NULL,
    PRIMARY KEY (search_index_id, term_id)
) WITH (fillfactor = 50);

-- Breadcrumbs embedded alone: what a section is about, without its text.
CREATE TABLE search_headings (
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    document_id     uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    embedding_hash  bytea NOT NULL,
    breadcrumb      text[] NOT NULL,
    vector          halfvec NOT NULL,
    PRIMARY KEY (search_index_id, document_id, embedding_hash)
) WITH (toast_tuple_target = 8160);
CREATE INDEX search_headings_by_document ON search_headings (document_id);

-- Entries that were published before have no weights yet: refreshing each knowledge base makes them.
UPDATE knowledge_bases SET index_digest = NULL;
