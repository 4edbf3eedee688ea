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

-- name: find_audit_entries
-- Changes, newest first, those before a given one; those whose actor, action or target holds a text, of some days.
SELECT e.* FROM audit_entries e LEFT JOIN api_keys k ON k.id = coalesce(e.key_id, e.actor_id)
 WHERE (%(before)s::bigint IS NULL OR e.id < %(before)s)
   AND (%(what)s = '' OR e.action = %(what)s)
   AND (%(target)s = '' OR strpos(lower(e.target), lower(%(target)s)) > 0)
   AND (%(who)s = '' OR strpos(lower(concat_ws(' ', replace(e.actor_kind, '_', ' '), e.actor_id, e.key_id, k.name)), lower(%(who)s)) > 0)
   AND (%(since)s::timestamptz IS NULL OR e.happened_at >= %(since)s)
   AND (%(until)s::timestamptz IS NULL OR e.happened_at < %(until)s)
 ORDER BY e.id DESC LIMIT %(limit)s;

-- name: audit_actions
-- The actions that were ever noted and are kept.
SELECT DISTINCT action FROM audit_entries ORDER BY action;
