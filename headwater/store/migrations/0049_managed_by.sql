-- A knowledge base or a source may be managed by a Dagster project, which is named here: nobody else changes or syncs it.
ALTER TABLE knowledge_bases ADD COLUMN managed_by text;
ALTER TABLE sources ADD COLUMN managed_by text;

-- A run of such a project that wrote something of a source: the address of its Dagster, and what the source is made of
-- there, as a JSON list with an object per asset.
CREATE TABLE outside_runs (
    run_id      text NOT NULL,
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    dagster_url text NOT NULL,
    upstream    jsonb NOT NULL DEFAULT '[]',
    began_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, source_id)
);
CREATE INDEX outside_runs_by_source ON outside_runs (source_id);
