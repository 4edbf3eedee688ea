-- A sync that would remove more than this share of a source's documents asks first: `held_deletions` is how many it would
-- remove, `confirmed_deletions` how many somebody has agreed to.
ALTER TABLE sources ADD COLUMN deletion_guard double precision NOT NULL DEFAULT 0.5 CHECK (deletion_guard BETWEEN 0 AND 1),
    ADD COLUMN held_deletions integer, ADD COLUMN confirmed_deletions integer;
