-- How many chunks of a version a fresh cut would not make; NULL where an older release cut it and nobody has counted.
ALTER TABLE chunk_sets ADD COLUMN drift_count integer;

-- The same for all of a source, as a share of its chunks.
ALTER TABLE sources ADD COLUMN drift_share real;
