-- name: try_lock
-- Take a session's advisory lock if it is free.
SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0)) AS is_held;

-- name: free_locks
-- Release every lock of this connection.
SELECT pg_advisory_unlock_all();
