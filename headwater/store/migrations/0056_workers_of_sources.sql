-- How many runs may work on a source at once, and the shares of its documents that the run of a sync leaves to others.
ALTER TABLE sources ADD COLUMN workers integer NOT NULL DEFAULT 1 CHECK (workers BETWEEN 1 AND 64);
CREATE TABLE sync_shares (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sync_source_id bigint NOT NULL REFERENCES sync_sources ON DELETE CASCADE,
    ordinal        integer NOT NULL,
    count          integer NOT NULL,
    state          text NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'taken', 'working', 'finishing')),
    run_id         text,
    done_count     integer NOT NULL DEFAULT 0,
    embedded_count integer NOT NULL DEFAULT 0,
    to_embed_count integer NOT NULL DEFAULT 0,
    written_count  integer NOT NULL DEFAULT 0,
    token_count    bigint NOT NULL DEFAULT 0,
    cost_usd       double precision NOT NULL DEFAULT 0,
    is_cost_known  boolean NOT NULL DEFAULT true,
    UNIQUE (sync_source_id, ordinal)
);
