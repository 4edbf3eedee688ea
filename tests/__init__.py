"""Tests: `unit` needs nothing, `integration` a real Postgres, a real Dagster instance and real processes."""

import gc

# Looking for garbage by default takes a sixth of importing and collecting, and 7 % of a sync.
gc.set_threshold(50_000, 20, 100)
