-- name: insert_conversation
-- A new conversation.
INSERT INTO conversations (knowledge_base_id, owner, title) VALUES (%(knowledge_base_id)s, %(owner)s, %(title)s) RETURNING id;

-- name: get_conversation
-- One conversation that a reader may read, with the number of its turns.
SELECT c.*, k.slug AS knowledge_base, (SELECT count(*) FROM answers a WHERE a.conversation_id = c.id) AS turn_count
  FROM conversations c JOIN knowledge_bases k ON k.id = c.knowledge_base_id
 WHERE c.id = %(id)s AND k.deleted_at IS NULL AND (%(sees_all)s OR c.owner = %(owner)s::text);

-- name: list_conversations
-- Conversations of a knowledge base that a reader may read, the one that was asked last first, those before a given one;
-- with a text only those that have it in their title, a question or an answer.
SELECT c.*, %(knowledge_base)s AS knowledge_base,
       (SELECT count(*) FROM answers a WHERE a.conversation_id = c.id) AS turn_count
  FROM conversations c
 WHERE c.knowledge_base_id = %(knowledge_base_id)s AND (%(sees_all)s OR c.owner = %(owner)s::text)
   AND (%(before)s::uuid IS NULL
        OR (c.updated_at, c.id) < (SELECT b.updated_at, b.id FROM conversations b WHERE b.id = %(before)s::uuid))
   AND (%(text)s = '' OR strpos(lower(c.title), lower(%(text)s)) > 0
        OR EXISTS (SELECT FROM answers a
                    WHERE a.conversation_id = c.id
                      AND (strpos(lower(a.question), lower(%(text)s)) > 0 OR strpos(lower(a.answer), lower(%(text)s)) > 0)))
 ORDER BY c.updated_at DESC, c.id DESC LIMIT %(limit)s;

-- name: rename_conversation
-- A new title, which is no activity.
UPDATE conversations SET title = %(title)s WHERE id = %(id)s;

-- name: pin_conversation
-- A conversation stays at the top of the list, or does no longer.
UPDATE conversations SET pinned_at = CASE WHEN %(is_pinned)s THEN coalesce(pinned_at, now()) END WHERE id = %(id)s;

-- name: list_pinned_conversations
-- The conversations of a knowledge base that a reader may read and that are pinned, the last one first.
SELECT c.*, %(knowledge_base)s AS knowledge_base,
       (SELECT count(*) FROM answers a WHERE a.conversation_id = c.id) AS turn_count
  FROM conversations c
 WHERE c.knowledge_base_id = %(knowledge_base_id)s AND (%(sees_all)s OR c.owner = %(owner)s::text)
   AND c.pinned_at IS NOT NULL
 ORDER BY c.pinned_at DESC, c.id DESC LIMIT %(limit)s;

-- name: delete_conversation
-- A conversation with its turns, and the feedback on them.
DELETE FROM conversations WHERE id = %(id)s RETURNING knowledge_base_id;

-- name: forget_answers
-- Forget the answers and conversations that repeats of requests would get.
DELETE FROM kept_responses
 WHERE knowledge_base_id = %(knowledge_base_id)s AND scope ~ '(^| )POST .*/(answers|conversations|cancel|promote)$';

-- name: share_conversation
-- The token at which others read a conversation: a new one, unless it has one.
UPDATE conversations SET share_token = coalesce(share_token, %(token)s) WHERE id = %(id)s;

-- name: unshare_conversation
-- Nobody reads a conversation by its token any more.
UPDATE conversations SET share_token = NULL WHERE id = %(id)s;

-- name: get_shared_conversation
-- The conversation that is shared under a token.
SELECT id FROM conversations WHERE share_token = %(token)s;

-- name: lock_conversation
-- A conversation of a knowledge base, so that no other turn begins at the same time.
SELECT id FROM conversations WHERE id = %(id)s AND knowledge_base_id = %(knowledge_base_id)s FOR NO KEY UPDATE;

-- name: count_turns
-- How many turns a conversation has.
SELECT count(*) AS turn_count FROM answers WHERE conversation_id = %(id)s;

-- name: touch_conversation
-- Note that a conversation was asked; its first question gives it a title.
UPDATE conversations SET updated_at = now(), title = CASE WHEN title = '' THEN %(title)s ELSE title END WHERE id = %(id)s;

-- name: last_turn
-- The turn that was asked last.
SELECT id FROM answers WHERE conversation_id = %(id)s ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: path_to_turn
-- The turns from a beginning to a turn, each with the documents that its answer cites.
WITH RECURSIVE path AS (
    SELECT a.id, a.parent_id, a.question, a.answer, a.search_text, 1 AS distance
      FROM answers a WHERE a.conversation_id = %(id)s AND a.id = %(turn_id)s
     UNION ALL
    SELECT a.id, a.parent_id, a.question, a.answer, a.search_text, p.distance + 1
      FROM path p JOIN answers a ON a.conversation_id = %(id)s AND a.id = p.parent_id)
SELECT p.question, p.answer, p.search_text,
       ARRAY(SELECT c.document_id FROM citations c WHERE c.answer_id = p.id ORDER BY c.position) AS documents
  FROM path p ORDER BY p.distance DESC;

-- name: turns_of
-- All turns of a conversation with the feedback on them, oldest first.
SELECT a.id, a.parent_id, a.question, a.search_text, a.answer, a.state, a.is_refused, a.reason, a.error_code,
       a.error_detail, a.model, a.usage, a.timings_ms, a.created_at, a.notes, a.statements, a.further,
       a.quote_marker AS quote, a.degraded, a.readings, f.vote, f.comment
  FROM answers a LEFT JOIN feedback f ON f.answer_id = a.id AND f.owner IS NULL
 WHERE a.conversation_id = %(id)s ORDER BY a.created_at, a.id;

-- name: citations_of_turns
-- The citations of all turns of a conversation, in the order of their markers.
SELECT c.*, c.start_offset AS start, c.end_offset AS "end"
  FROM citations c JOIN answers a ON a.id = c.answer_id
 WHERE a.conversation_id = %(id)s ORDER BY c.answer_id, c.position;

-- name: turn_states
-- The turns of a conversation that were asked last, oldest first, and why their answers are stale, null if they hold.
SELECT t.id, t.parent_id, t.state,
       CASE WHEN NOT answer_is_stale(t.id) THEN NULL
            WHEN t.stale_at IS NOT NULL THEN 'deleted'
            WHEN EXISTS (SELECT FROM citations c
                          WHERE c.answer_id = t.id
                            AND NOT EXISTS (SELECT FROM publications u
                                             WHERE u.version_id = c.document_version_id AND u.withdrawn_at IS NULL))
              OR EXISTS (SELECT FROM summary_citations c
                          WHERE c.answer_id = t.id
                            AND NOT EXISTS (SELECT FROM summary_tree n
                                             WHERE n.id = c.node_id AND n.summary_key = c.summary_key)) THEN 'cited'
            ELSE 'changed' END AS stale
  FROM (SELECT a.id, a.parent_id, a.state, a.stale_at, a.created_at FROM answers a
         WHERE a.conversation_id = %(id)s ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s) t
 ORDER BY t.created_at, t.id;
