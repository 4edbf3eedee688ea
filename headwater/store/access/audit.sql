-- name: insert_audit_entry
-- Note a change.
INSERT INTO audit_entries (actor_kind, actor_id, key_id, action, target, details)
VALUES (%(actor_kind)s, %(actor_id)s, %(key_id)s, %(action)s, %(target)s, %(details)s);

-- name: list_audit_entries
-- Changes, newest first, those before a given one; of one action or target if they are given.
SELECT * FROM audit_entries
 WHERE (%(before)s::bigint IS NULL OR id < %(before)s) AND (%(action)s::text IS NULL OR action = %(action)s)
   AND (%(target)s::text IS NULL OR target = %(target)s)
 ORDER BY id DESC LIMIT %(limit)s;

-- name: delete_old_audit_entries
-- Delete the entries of a time that is long past.
DELETE FROM audit_entries WHERE happened_at < %(before)s;
