-- What a sync left out is kept with it.

ALTER TABLE sync_sources ADD COLUMN skipped jsonb;  -- by reason; NULL while the source has not been listed
