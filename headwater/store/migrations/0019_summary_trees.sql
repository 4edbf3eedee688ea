-- Summaries, and the trees that they make.

-- A summary is (texts under it, title, prompt, model, length): the same is never paid for twice.
CREATE TABLE summaries (
    key               bytea PRIMARY KEY,
    text              text NOT NULL,
    model             text NOT NULL,
    prompt_version    text NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    cost_usd          double precision,  -- NULL if the price is not known
    source_id         bigint NOT NULL,  -- that it was made for first, which may be deleted since
    run_id            text NOT NULL,
    code_version      text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX summaries_by_source ON summaries (source_id);

-- The tree of each source. A node's id stays the same while its text changes.
CREATE TABLE summary_tree (
    id          uuid PRIMARY KEY,
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    kind        text NOT NULL,
    identity    bytea NOT NULL,
    summary_key bytea NOT NULL REFERENCES summaries,
    parent_id   uuid,  -- NULL for the root
    position    integer NOT NULL,
    document_id uuid REFERENCES documents ON DELETE CASCADE,  -- of a document's nodes
    chunk_ids   uuid[] NOT NULL DEFAULT '{}'
);
CREATE INDEX summary_tree_by_source ON summary_tree (source_id);
CREATE INDEX summary_tree_by_parent ON summary_tree (parent_id, position);
CREATE INDEX summary_tree_by_document ON summary_tree (document_id);
CREATE INDEX summary_tree_by_summary ON summary_tree (summary_key);

-- What the tree of a document was made of.
CREATE TABLE summarized_documents (
    document_id   uuid PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    version_id    uuid NOT NULL,
    settings_hash bytea NOT NULL,
    recipe_hash   bytea NOT NULL
);
