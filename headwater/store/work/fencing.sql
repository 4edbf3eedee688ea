-- name: check_fencing_token
-- A row when this sync still is the one that may write; kept so until the transaction ends.
SELECT id FROM sources WHERE id = %(source_id)s AND fencing_token = %(token)s FOR SHARE;
