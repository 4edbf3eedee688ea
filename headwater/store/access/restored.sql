-- name: revoke_all_keys
-- Revoke every key that could be used now or later.
UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- name: unshare_all_conversations
-- Withdraw every link of a shared conversation.
UPDATE conversations SET share_token = NULL WHERE share_token IS NOT NULL;
