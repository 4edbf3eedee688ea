-- The conversations of one key, the one that was asked last first, without reading those of others.
CREATE INDEX conversations_by_owner ON conversations (knowledge_base_id, owner, updated_at DESC, id DESC);
