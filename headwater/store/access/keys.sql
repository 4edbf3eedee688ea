-- name: insert_key
-- Add a key; no row if its id is taken.
INSERT INTO api_keys (id, secret_hash, name, scope, is_limited, expires_at)
VALUES (%(id)s, %(secret_hash)s, %(name)s, %(scope)s, %(is_limited)s, %(expires_at)s)
ON CONFLICT (id) DO NOTHING RETURNING id;

-- name: insert_key_knowledge_bases
-- Limit a key to knowledge bases.
INSERT INTO api_key_knowledge_bases (key_id, knowledge_base_id)
SELECT %(id)s, k.id FROM knowledge_bases k WHERE k.id = ANY(%(knowledge_base_ids)s);

-- name: secret_of_key
-- What is needed to check a key that may be used now.
SELECT a.id, a.secret_hash, CASE WHEN a.old_secret_until > now() THEN a.old_secret_hash END AS old_secret_hash, a.scope,
       a.is_limited, a.last_used_at IS DISTINCT FROM date_trunc('minute', now()) AS is_first_use,
       ARRAY(SELECT l.knowledge_base_id FROM api_key_knowledge_bases l WHERE l.key_id = a.id) AS visible
  FROM api_keys a
 WHERE a.id = %(id)s AND a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now());

-- name: note_use_of_key
-- Remember that a key was used in this minute.
UPDATE api_keys SET last_used_at = date_trunc('minute', now()) WHERE id = %(id)s;

-- name: list_keys
-- Keys, newest first; with an id only that one.
SELECT a.*, CASE WHEN a.is_limited THEN
           ARRAY(SELECT k.slug FROM api_key_knowledge_bases l JOIN knowledge_bases k ON k.id = l.knowledge_base_id
                  WHERE l.key_id = a.id AND k.deleted_at IS NULL ORDER BY k.slug) END AS knowledge_bases
  FROM api_keys a
 WHERE %(id)s::text IS NULL OR a.id = %(id)s
 ORDER BY a.created_at DESC, a.id;

-- name: rotate_key
-- Give a key another secret; the present one stays valid until a time. No row if the key is revoked.
UPDATE api_keys
   SET old_secret_hash = secret_hash, old_secret_until = now() + %(grace)s, secret_hash = %(secret_hash)s
 WHERE id = %(id)s AND revoked_at IS NULL RETURNING id;

-- name: revoke_key
-- Revoke a key; no row if it is revoked already.
UPDATE api_keys SET revoked_at = now() WHERE id = %(id)s AND revoked_at IS NULL RETURNING id;

-- name: end_sessions_of_key
-- Forget the sessions of a key.
DELETE FROM sessions WHERE key_id = %(key_id)s;

-- name: keys_exist
-- Whether a key was ever made, and whether one that may administer everything can be used now.
SELECT EXISTS (SELECT FROM api_keys) AS has_any,
       EXISTS (SELECT FROM api_keys a WHERE a.scope = 'admin' AND NOT a.is_limited AND a.revoked_at IS NULL
                  AND (a.expires_at IS NULL OR a.expires_at > now())) AS has_admin;
