-- An answer is stale, too, once a summary that it cites was made again or is gone: a deleted document may be in its text,
-- although the answer names other documents.
CREATE OR REPLACE FUNCTION answer_is_stale(answer_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT a.stale_at IS NOT NULL OR a.source_revisions IS NOT NULL AND (
           EXISTS (SELECT FROM sources s JOIN source_revisions r ON r.source_id = s.id
                    WHERE s.knowledge_base_id = a.knowledge_base_id AND s.state <> 'deleting'
                      AND (a.asked_sources IS NULL OR s.slug = ANY(a.asked_sources))
                      AND r.revision > coalesce((a.source_revisions ->> s.id::text)::bigint, 0))
           OR EXISTS (SELECT FROM citations c
                       WHERE c.answer_id = a.id
                         AND NOT EXISTS (SELECT FROM publications u
                                          WHERE u.version_id = c.document_version_id AND u.withdrawn_at IS NULL))
           OR EXISTS (SELECT FROM summary_citations c
                       WHERE c.answer_id = a.id
                         AND NOT EXISTS (SELECT FROM summary_tree n
                                          WHERE n.id = c.node_id AND n.summary_key = c.summary_key)))
      FROM answers a WHERE a.id = answer_is_stale.answer_id
$$;
