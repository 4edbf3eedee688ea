-- What a chat model's answer states and which of it has support, the quote beneath it, and what else was found.
ALTER TABLE answers ADD COLUMN statements jsonb NOT NULL DEFAULT '[]', ADD COLUMN further jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN quote_marker text NOT NULL DEFAULT '', ADD COLUMN degraded text;
