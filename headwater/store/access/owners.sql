-- name: owner_of_knowledge_base
-- A knowledge base itself, by its slug.
SELECT id AS knowledge_base_id FROM knowledge_bases WHERE slug = %(id)s AND deleted_at IS NULL;

-- name: owner_of_answer
-- The knowledge base of an answer.
SELECT knowledge_base_id FROM answers WHERE id = %(id)s;

-- name: owner_of_conversation
-- The knowledge base of a conversation.
SELECT knowledge_base_id FROM conversations WHERE id = %(id)s;

-- name: owner_of_document
-- The knowledge base of a document.
SELECT s.knowledge_base_id FROM documents d JOIN sources s ON s.id = d.source_id WHERE d.id = %(id)s;

-- name: owner_of_version
-- The knowledge base of a document version.
SELECT s.knowledge_base_id
  FROM document_versions v JOIN documents d ON d.id = v.document_id JOIN sources s ON s.id = d.source_id
 WHERE v.id = %(id)s;

-- name: owner_of_chunk
-- The knowledge base of a chunk.
SELECT s.knowledge_base_id
  FROM chunks c JOIN documents d ON d.id = c.document_id JOIN sources s ON s.id = d.source_id WHERE c.id = %(id)s;

-- name: owner_of_summary
-- The knowledge base of a node of a summary tree.
SELECT coalesce(n.knowledge_base_id, s.knowledge_base_id) AS knowledge_base_id
  FROM summary_tree n LEFT JOIN sources s ON s.id = n.source_id WHERE n.id = %(id)s;

-- name: owner_of_sync
-- The knowledge base of a sync.
SELECT knowledge_base_id FROM syncs WHERE id = %(id)s;

-- name: owner_of_deletion
-- The knowledge base that a source was deleted from; none for a knowledge base, which is gone with all keys to it.
SELECT k.id AS knowledge_base_id
  FROM deletions x JOIN knowledge_bases k ON k.slug = split_part(x.key, '/', 1) AND k.deleted_at IS NULL
 WHERE x.id = %(id)s AND x.kind = 'source' AND x.requested_at >= k.created_at;

-- name: reader_of_conversation
-- The key that a conversation belongs to, null if it is nobody's; no row if there is no such conversation.
SELECT owner FROM conversations WHERE id = %(id)s;

-- name: reader_of_answer
-- The key that the conversation of an answer belongs to; no row if the answer is no turn of a conversation.
SELECT c.owner FROM answers a JOIN conversations c ON c.id = a.conversation_id WHERE a.id = %(id)s;
