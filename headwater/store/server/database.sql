-- name: try_lock
-- Take a session's advisory lock if it is free.
SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0)) AS is_held;

-- name: free_locks
-- Release every lock of this connection.
SELECT pg_advisory_unlock_all();

-- name: begin_session
-- What `pooling.SESSION_OPTIONS` sets for a session, for one transaction: behind a pool in transaction mode, the next
-- one may be in another session.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef_search)s::text, true),
       set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true),
       CASE WHEN current_setting('server_version_num')::integer >= 170000
            THEN set_config('transaction_timeout', '0', true) END;

-- name: log_position
-- Everything that is committed now is in the log up to here.
SELECT pg_current_wal_flush_lsn()::text AS position;
