-- API keys, sessions of browsers, rate limits, and the audit of changes (API-6).

CREATE TABLE api_keys (
    id               text PRIMARY KEY CHECK (id ~ '^[a-z0-9]{8}$'),
    secret_hash      bytea NOT NULL,
    old_secret_hash  bytea,
    old_secret_until timestamptz,
    name             text NOT NULL,
    scope            text NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
    is_limited       boolean NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz,
    last_used_at     timestamptz,
    revoked_at       timestamptz
);
CREATE TABLE api_key_knowledge_bases (
    key_id            text NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    PRIMARY KEY (key_id, knowledge_base_id)
);
CREATE INDEX api_key_knowledge_bases_by_knowledge_base ON api_key_knowledge_bases (knowledge_base_id);

CREATE TABLE sessions (
    token_hash  bytea PRIMARY KEY,
    id          text NOT NULL,
    key_id      text REFERENCES api_keys ON DELETE CASCADE,
    secret_hash bytea,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX sessions_by_key ON sessions (key_id) WHERE key_id IS NOT NULL;
CREATE TABLE login_links (
    token_hash bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);

CREATE UNLOGGED TABLE rate_limits (
    bucket text PRIMARY KEY,
    tat    timestamptz NOT NULL
);
CREATE UNLOGGED TABLE address_salts (
    day  date PRIMARY KEY,
    salt bytea NOT NULL
);

CREATE TABLE audit_entries (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamptz NOT NULL DEFAULT now(),
    actor_kind  text NOT NULL CHECK (actor_kind IN ('key', 'session', 'command_line', 'anyone', 'process')),
    actor_id    text NOT NULL,
    key_id      text,
    action      text NOT NULL,
    target      text NOT NULL,
    details     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_entries_by_time ON audit_entries (happened_at);
