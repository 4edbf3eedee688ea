-- Summaries take part in search, and answers cite them.

-- The entry of a summary of a group or a source has no document. All other entries still need one.
ALTER TABLE search_entries ALTER COLUMN document_id DROP NOT NULL, ALTER COLUMN source_id DROP NOT NULL;
ALTER TABLE search_entries_chunk ALTER COLUMN document_id SET NOT NULL, ALTER COLUMN source_id SET NOT NULL;
ALTER TABLE search_entries_heading ALTER COLUMN document_id SET NOT NULL, ALTER COLUMN source_id SET NOT NULL;
CREATE TABLE search_entries_summary PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('summary') WITH (toast_tuple_target = 8160);

-- The hash of a summary's text, under which its vector is stored.
ALTER TABLE summaries ADD COLUMN embedding_hash bytea;
UPDATE summaries SET embedding_hash = sha256(convert_to(text, 'UTF8'));
ALTER TABLE summaries ALTER COLUMN embedding_hash SET NOT NULL;
CREATE INDEX summaries_by_embedding ON summaries (embedding_hash);

-- The entries that a source's tree contributes to every index of its knowledge base: of each document one. Nodes above
-- sources are found by their place.
CREATE VIEW tree_entries AS
SELECT n.id AS target_id, n.source_id, n.document_id, n.summary_key, s.embedding_hash
  FROM summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.source_id IS NOT NULL AND (n.document_id IS NULL OR n.kind = 'document');

-- A marker of an answer that stands behind a summary, with a copy of the summary and of its lineage. Its documents are
-- in `citations`, under the same marker.
CREATE TABLE summary_citations (
    answer_id      uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    position       integer NOT NULL,
    marker         text NOT NULL,
    node_id        uuid NOT NULL,
    summary_key    bytea NOT NULL,
    kind           text NOT NULL,  -- of the node
    title          text NOT NULL,
    text           text NOT NULL,
    document_count integer NOT NULL,  -- documents below it; not all of them are cited
    model          text NOT NULL,
    prompt_version text NOT NULL,
    run_id         text NOT NULL,
    code_version   text NOT NULL,
    made_at        timestamptz NOT NULL,
    PRIMARY KEY (answer_id, position)
);
ALTER TABLE citations ADD COLUMN node_id uuid;  -- of the summary that its marker stands behind; NULL for a quote
