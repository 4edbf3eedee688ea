-- What a running sync still has to embed, since when it is in its stage, and which document it reads now.
ALTER TABLE sync_sources ADD COLUMN to_embed_count integer NOT NULL DEFAULT 0,
    ADD COLUMN stage_started_at timestamptz, ADD COLUMN current_uri text NOT NULL DEFAULT '';
