"""Tests: `unit` needs nothing, `integration` a real Postgres, a real Dagster instance and real processes."""
