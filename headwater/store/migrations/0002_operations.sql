-- Operating: intervals, pausing, cancelling, attempts, receipts, index gates, golden sets, and what was visible when.

-- A deleted knowledge base is out of sight at once; its rows go afterwards, and its slug is free meanwhile.
ALTER TABLE knowledge_bases ADD COLUMN deleted_at timestamptz;
ALTER TABLE knowledge_bases DROP CONSTRAINT knowledge_bases_slug_key;
CREATE UNIQUE INDEX knowledge_bases_by_slug ON knowledge_bases (slug) WHERE deleted_at IS NULL;

-- How a source is kept: synced when `refresh_seconds` have passed, not at all while paused; tags and category say where
-- all its documents belong. A deleted one is `deleting` until its rows are gone, and its slug is free meanwhile.
ALTER TABLE sources
    ADD COLUMN refresh_seconds integer CHECK (refresh_seconds >= 60),
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
    ADD COLUMN category text NOT NULL DEFAULT '',
    ADD COLUMN paused_at timestamptz,
    ADD COLUMN verified_at timestamptz,  -- when it was last read whole, without trusting fingerprints
    DROP CONSTRAINT sources_knowledge_base_id_slug_key,
    DROP CONSTRAINT sources_state_check,
    ADD CONSTRAINT sources_state_check CHECK (state IN ('pending', 'syncing', 'ready', 'failed', 'deleting'));
CREATE UNIQUE INDEX sources_by_slug ON sources (knowledge_base_id, slug) WHERE state <> 'deleting';
CREATE INDEX sources_by_knowledge_base ON sources (knowledge_base_id);

-- A source that is being deleted stays so: no worker, whatever it holds, takes it over or brings it back.
CREATE FUNCTION keep_deleting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER sources_keep_deleting BEFORE UPDATE ON sources
    FOR EACH ROW WHEN (OLD.state = 'deleting') EXECUTE FUNCTION keep_deleting();

-- `origin` says who asked: the API, a command, a run started in Dagster, or a source's own interval or the schedule.
ALTER TABLE syncs
    ADD COLUMN is_full boolean NOT NULL DEFAULT false,  -- read everything, without trusting fingerprints
    DROP CONSTRAINT syncs_origin_check,
    ADD CONSTRAINT syncs_origin_check CHECK (origin IN ('api', 'command_line', 'dagster', 'schedule'));
CREATE INDEX syncs_by_time ON syncs (requested_at);

-- Progress by document, for people who watch, and how often a worker was lost over it.
ALTER TABLE sync_sources
    ADD COLUMN documents_total integer,  -- known once the source was listed
    ADD COLUMN documents_done integer NOT NULL DEFAULT 0,
    ADD COLUMN failed_count integer NOT NULL DEFAULT 0,
    ADD COLUMN token_count bigint NOT NULL DEFAULT 0,  -- sent to the embedding model
    ADD COLUMN cost_usd double precision NOT NULL DEFAULT 0,
    ADD COLUMN attempt_count integer NOT NULL DEFAULT 0,
    ADD COLUMN cancelled_at timestamptz,
    DROP CONSTRAINT sync_sources_state_check,
    ADD CONSTRAINT sync_sources_state_check
        CHECK (state IN ('pending', 'queued', 'syncing', 'ready', 'failed', 'cancelled'));
DROP INDEX sync_sources_by_source;
CREATE INDEX sync_sources_by_source ON sync_sources (source_id, finished_at);  -- finds the last attempt in one step

-- What went with a deleted source or knowledge base, by table; kept when nothing else of it is.
CREATE TABLE deletions (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('source', 'knowledge_base')),
    key           text NOT NULL,  -- slug, or slug/slug
    removed       jsonb NOT NULL DEFAULT '{}',  -- rows by table
    requested_at  timestamptz NOT NULL DEFAULT now(),
    finished_at   timestamptz,  -- when its rows were gone too
    row_id        bigint NOT NULL,  -- the id it had
    files_removed integer NOT NULL DEFAULT 0  -- files that it kept beside the database
);
CREATE INDEX deletions_unfinished ON deletions (id) WHERE finished_at IS NULL;

-- When each version of a document was what readers saw: closed ones answer `as of` a past time.
CREATE TABLE publications (
    document_id  uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    version_id   uuid NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    withdrawn_at timestamptz,
    PRIMARY KEY (version_id, published_at)
);
CREATE UNIQUE INDEX publications_open ON publications (document_id) WHERE withdrawn_at IS NULL;
CREATE INDEX publications_by_document ON publications (document_id);
INSERT INTO publications (document_id, version_id, published_at)
SELECT p.document_id, p.version_id, p.published_at
  FROM published_documents p JOIN search_indexes i ON i.id = p.search_index_id WHERE i.state = 'active';

-- The past time that an answer was asked as of, and what must be known to read it rightly.
ALTER TABLE answers
    ADD COLUMN as_of timestamptz,
    ADD COLUMN notes text[] NOT NULL DEFAULT '{}';

-- `ef_search` is what reached the recall that was measured; the gate's report says what an index was judged by.
ALTER TABLE search_indexes
    ADD COLUMN ef_search integer,
    ADD COLUMN recall double precision,
    ADD COLUMN gate jsonb,
    ADD COLUMN retained_at timestamptz;
UPDATE search_indexes SET retained_at = now() WHERE state = 'retained';

-- Questions whose right documents are known.
CREATE TABLE golden_questions (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    question          text NOT NULL,
    relevant          jsonb NOT NULL,  -- [{"uri", "page"?}]
    created_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (knowledge_base_id, question)
);

-- What a golden set came to on an index at a time.
CREATE TABLE evaluations (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    search_index_id   bigint NOT NULL,
    model             text NOT NULL,
    golden_hash       bytea NOT NULL,
    index_digest      text NOT NULL,  -- which state of the knowledge base it searched
    question_count    integer NOT NULL,
    metrics           jsonb NOT NULL,
    run_id            text,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX evaluations_by_knowledge_base ON evaluations (knowledge_base_id, created_at);
