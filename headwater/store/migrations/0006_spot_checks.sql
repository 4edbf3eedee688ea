-- Checks that look at what changed: since when, and since when an index's recall is known.

ALTER TABLE knowledge_bases ADD COLUMN checked_at timestamptz;  -- what changed since then is new to the next check
ALTER TABLE search_indexes ADD COLUMN measured_at timestamptz;  -- when `recall` was measured
