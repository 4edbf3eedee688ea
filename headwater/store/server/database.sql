-- name: try_lock
-- Take a session's advisory lock if nobody holds it.
SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0)) AS is_held;

-- name: free_locks
-- Give up every lock of this connection.
SELECT pg_advisory_unlock_all();
