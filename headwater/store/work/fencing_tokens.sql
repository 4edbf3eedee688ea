-- name: check_fencing_token
-- A row if this sync is still the one that may write; locked until the transaction ends.
SELECT id FROM sources WHERE id = %(source_id)s AND fencing_token = %(token)s FOR SHARE;

-- name: current_fencing_token
-- The token of the sync that may write now; negative while the source is being deleted.
SELECT fencing_token FROM sources WHERE id = %(source_id)s;

-- name: check_share
-- A row if a helper may still write; it cannot be deleted until the transaction ends.
SELECT id FROM sync_shares WHERE id = %(id)s FOR KEY SHARE;
