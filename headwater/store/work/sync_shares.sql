-- name: request_shares
-- Shares of a source for helpers; ordinal 0 is the leading run's own.
INSERT INTO sync_shares (sync_source_id, ordinal, count)
SELECT %(token)s, generate_series(1, %(count)s::integer - 1), %(count)s;

-- name: list_shares
-- The shares of a sync that helpers have taken, and whether each helper is alive.
SELECT h.*, is_locked('share:' || h.id) AS is_alive FROM sync_shares h
 WHERE h.sync_source_id = %(token)s AND h.state <> 'requested' ORDER BY h.ordinal;

-- name: set_share_states
-- From now on these shares are their helpers', or no more documents will be added to them.
UPDATE sync_shares SET state = %(state)s WHERE id = ANY(%(ids)s);

-- name: delete_shares
-- Take shares back: writes of their helpers end before it and fail after it. Without ids, all of a sync.
DELETE FROM sync_shares WHERE sync_source_id = %(token)s AND (%(ids)s::bigint[] IS NULL OR id = ANY(%(ids)s))
RETURNING *, false AS is_alive;

-- name: wanted_shares
-- Shares that no run has taken, of syncs that still run; what a Dagster project manages is synced there.
SELECT h.id, h.ordinal, h.count, t.run_id, y.is_full, y.origin, k.slug || '/' || s.slug AS key
  FROM sync_shares h JOIN sync_sources t ON t.id = h.sync_source_id JOIN syncs y ON y.id = t.sync_id
       JOIN sources s ON s.id = t.source_id JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE h.state = 'requested' AND t.state = 'syncing' AND s.fencing_token = t.id AND s.managed_by IS NULL
 ORDER BY h.id;

-- name: take_share
-- A helper takes a share, if the sync still runs that wants help.
UPDATE sync_shares h SET state = 'taken', run_id = %(run_id)s
  FROM sync_sources t JOIN syncs y ON y.id = t.sync_id JOIN sources s ON s.id = t.source_id
       JOIN knowledge_bases k ON k.id = s.knowledge_base_id
 WHERE h.id = %(id)s AND h.state = 'requested' AND t.id = h.sync_source_id AND t.state = 'syncing'
   AND s.fencing_token = t.id
RETURNING h.ordinal, h.count, t.id AS token, t.sync_id, t.batch, y.is_full, k.slug AS knowledge_base, s.slug AS source;

-- name: share_state
-- The state of a share whose leading run is alive and goes on; no row if its helper is not needed any more.
-- A run serves all requests of its batch for the source, so it goes on until all of them are cancelled.
SELECT h.state
  FROM sync_shares h JOIN sync_sources t ON t.id = h.sync_source_id
       JOIN sources s ON s.id = t.source_id AND s.fencing_token = t.id
 WHERE h.id = %(id)s AND t.state = 'syncing' AND is_locked('source:' || s.id)
   AND EXISTS (SELECT FROM sync_sources r WHERE r.source_id = t.source_id AND r.batch = t.batch
                  AND r.state = 'syncing' AND r.cancelled_at IS NULL);

-- name: report_share
-- What a helper has done so far.
UPDATE sync_shares SET done_count = %(done)s, embedded_count = %(embedded)s, to_embed_count = %(to_embed)s,
       written_count = %(rows_written)s, token_count = %(tokens)s, cost_usd = %(cost_usd)s, is_cost_known = %(is_cost_known)s
 WHERE id = %(id)s;
