-- The first response to a request with an Idempotency-Key, so that a repeat gets the same one.

CREATE TABLE kept_responses (
    scope             text NOT NULL,
    key               text NOT NULL,
    request_hash      bytea NOT NULL,
    knowledge_base_id bigint REFERENCES knowledge_bases ON DELETE CASCADE,
    status            integer NOT NULL,
    headers           jsonb NOT NULL,
    body              bytea NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, key)
);
CREATE INDEX kept_responses_by_time ON kept_responses (created_at);
CREATE INDEX kept_responses_by_knowledge_base ON kept_responses (knowledge_base_id);
