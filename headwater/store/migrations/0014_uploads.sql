-- Files that people upload to sources of kind `files`, and the wish for a sync while another one runs.

-- The content is in the store of originals, by its hash. The hash is NULL once the file has been released, while its
-- source is being deleted.
CREATE TABLE source_files (
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    name        text NOT NULL,
    hash        bytea,
    size        bigint NOT NULL,
    media_type  text NOT NULL,
    uploaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, name)
);
CREATE INDEX source_files_by_hash ON source_files (hash) WHERE hash IS NOT NULL;

-- When somebody wanted a sync while another one was running; the next sync that begins fulfils it.
ALTER TABLE sources ADD COLUMN awaited_at timestamptz;
