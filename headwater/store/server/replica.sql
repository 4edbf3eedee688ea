-- name: replica_position
-- Whether a replica has replayed the log up to a position, and whether it still is one.
SELECT coalesce(pg_last_wal_replay_lsn() >= %(position)s::pg_lsn, false) AS is_reached,
       pg_is_in_recovery() AS is_replica;
