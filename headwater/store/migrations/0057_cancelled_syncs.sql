-- The sensor of requests looks for what was cancelled a moment ago, to take its run out of Dagster's queue.
CREATE INDEX sync_sources_cancelled ON sync_sources (cancelled_at) WHERE state = 'cancelled';
