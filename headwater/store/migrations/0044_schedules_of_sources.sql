-- A source may have a cron line of its own, in its time zone; `scheduled_at` is when it next makes the source due.
ALTER TABLE sources ADD COLUMN schedule text, ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC',
    ADD COLUMN scheduled_at timestamptz;
