-- name: rules_read_at
-- When the server last read its configuration and its rules of authentication.
SELECT pg_conf_load_time();
