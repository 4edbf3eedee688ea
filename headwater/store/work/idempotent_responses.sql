-- name: kept_response
-- The first response to a request with this key, if it is young enough and its knowledge base still exists.
SELECT r.request_hash, r.status, r.headers, r.body FROM kept_responses r
       LEFT JOIN knowledge_bases k ON k.id = r.knowledge_base_id
 WHERE r.scope = %(scope)s AND r.key = %(key)s AND r.created_at >= %(since)s AND k.deleted_at IS NULL;

-- name: keep_response
-- Keep the first response, unless its knowledge base was deleted meanwhile; one that has expired is replaced.
INSERT INTO kept_responses (scope, key, request_hash, knowledge_base_id, status, headers, body)
SELECT %(scope)s, %(key)s, %(request_hash)s, %(knowledge_base_id)s, %(status)s, %(headers)s, %(body)s
 WHERE %(knowledge_base_id)s::bigint IS NULL
    OR EXISTS (SELECT FROM knowledge_bases k WHERE k.id = %(knowledge_base_id)s AND k.deleted_at IS NULL FOR KEY SHARE)
ON CONFLICT (scope, key) DO UPDATE
   SET request_hash = excluded.request_hash, knowledge_base_id = excluded.knowledge_base_id, status = excluded.status,
       headers = excluded.headers, body = excluded.body, created_at = now();

-- name: delete_old_responses
-- Delete responses that no repeat may get any more.
DELETE FROM kept_responses WHERE created_at < %(before)s;
