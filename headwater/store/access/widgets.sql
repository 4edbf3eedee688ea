-- name: list_widgets
-- The widgets of a knowledge base by slug, or one of them.
SELECT w.*, k.slug AS knowledge_base
  FROM widgets w JOIN knowledge_bases k ON k.id = w.knowledge_base_id AND k.deleted_at IS NULL
 WHERE k.slug = %(knowledge_base)s AND (%(slug)s::text IS NULL OR w.slug = %(slug)s)
 ORDER BY w.slug;

-- name: widget_by_id
-- A widget by its public id.
SELECT w.*, k.slug AS knowledge_base
  FROM widgets w JOIN knowledge_bases k ON k.id = w.knowledge_base_id AND k.deleted_at IS NULL
 WHERE w.id = %(id)s;

-- name: insert_widget
-- A new widget; no row if its slug is taken in the knowledge base.
INSERT INTO widgets (id, knowledge_base_id, slug, settings, secret)
VALUES (%(id)s, %(knowledge_base_id)s, %(slug)s, %(settings)s, %(secret)s)
ON CONFLICT (knowledge_base_id, slug) DO NOTHING
RETURNING id;

-- name: update_widget
-- Other settings; no row if they are the same.
UPDATE widgets SET settings = %(settings)s, updated_at = now()
 WHERE id = %(id)s AND settings IS DISTINCT FROM %(settings)s
RETURNING id;

-- name: delete_widget
-- A widget with the use of its budget and its visitors' questions. Their answers stay.
DELETE FROM widgets WHERE id = %(id)s;

-- name: widget_origins
-- Every site that may use some widget.
SELECT DISTINCT o.origin
  FROM widgets w JOIN knowledge_bases k ON k.id = w.knowledge_base_id AND k.deleted_at IS NULL,
       LATERAL jsonb_array_elements_text(w.settings -> 'origins') AS o (origin)
 WHERE (w.settings -> 'enabled')::boolean;
