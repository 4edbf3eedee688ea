-- name: rules_read_at
-- When the server last read its configuration and authentication rules.
SELECT pg_conf_load_time();
