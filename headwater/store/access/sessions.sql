-- name: insert_session
-- Remember a browser that logged in.
INSERT INTO sessions (token_hash, id, key_id, secret_hash, expires_at)
VALUES (%(token_hash)s, %(id)s, %(key_id)s, %(secret_hash)s, now() + %(lifetime)s);

-- name: find_session
-- A session that is valid now, with what its key may do. The secret that it was opened with must still be valid.
SELECT s.id, s.key_id, s.secret_hash, a.scope, a.is_limited,
       ARRAY(SELECT l.knowledge_base_id FROM api_key_knowledge_bases l WHERE l.key_id = a.id) AS visible
  FROM sessions s LEFT JOIN api_keys a ON a.id = s.key_id
 WHERE s.token_hash = %(token_hash)s AND s.expires_at > now()
   AND (s.key_id IS NULL
        OR a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now())
           AND (s.secret_hash = a.secret_hash OR s.secret_hash = a.old_secret_hash AND a.old_secret_until > now()));

-- name: session_exists
-- A session by its id; no row if it has ended.
SELECT id FROM sessions WHERE id = %(id)s AND expires_at > now();

-- name: end_session
-- Forget a session.
DELETE FROM sessions WHERE token_hash = %(token_hash)s;

-- name: end_all_sessions
-- Forget every session, and every link that has not been used.
WITH links AS (DELETE FROM login_links) DELETE FROM sessions;

-- name: insert_login_link
-- Remember a link that logs one browser in.
INSERT INTO login_links (token_hash, expires_at) VALUES (%(token_hash)s, now() + %(lifetime)s);

-- name: use_login_link
-- Use a link up; no row if it was used before, or is too old.
DELETE FROM login_links WHERE token_hash = %(token_hash)s RETURNING expires_at > now() AS is_valid;

-- name: delete_old_sessions
-- Forget sessions and links that are over.
WITH links AS (DELETE FROM login_links WHERE expires_at < now()) DELETE FROM sessions WHERE expires_at < now();
