-- Answers that grow, can be served again, and say why they are stale; the revision of each source.

-- Grows in the transaction that publishes new or changed documents of a source into the active index, and with a change of
-- its tags or category. A table of its own, because a sync holds share locks on the source's row.
CREATE TABLE source_revisions (
    source_id  bigint PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    revision   bigint NOT NULL,
    revised_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO source_revisions (source_id, revision)
SELECT DISTINCT d.source_id, 1 FROM published_documents p JOIN documents d ON d.id = p.document_id;

ALTER TABLE answers
    ADD COLUMN state text NOT NULL DEFAULT 'done'
        CHECK (state IN ('generating', 'done', 'cancelled', 'interrupted', 'failed')),
    ADD COLUMN saved_at timestamptz,
    ADD COLUMN error_code text,
    ADD COLUMN error_detail text,
    ADD COLUMN title text NOT NULL DEFAULT '',
    ADD COLUMN slug text NOT NULL DEFAULT '',
    ADD COLUMN description text NOT NULL DEFAULT '',
    ADD COLUMN intent text NOT NULL DEFAULT '',
    ADD COLUMN prompt_version text,
    ADD COLUMN source_revisions jsonb,
    ADD COLUMN asked_sources text[],
    ADD COLUMN request_hash bytea,
    ADD COLUMN options_hash bytea,
    ADD COLUMN question_vector halfvec;
CREATE INDEX answers_by_request ON answers (knowledge_base_id, request_hash, created_at DESC) WHERE request_hash IS NOT NULL;
CREATE INDEX answers_by_options ON answers (knowledge_base_id, options_hash, created_at DESC) WHERE options_hash IS NOT NULL;
CREATE INDEX answers_generating ON answers (saved_at) WHERE state = 'generating';

-- Whether an answer no longer holds: a source that it cites was deleted; or since the search for it, a source that its
-- filter selects published new or changed documents, or readers no longer see a version that it cites. The last two do not
-- apply to an answer as of a past time, nor to one from a release that did not keep revisions.
CREATE FUNCTION answer_is_stale(answer_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT a.stale_at IS NOT NULL OR a.source_revisions IS NOT NULL AND (
           EXISTS (SELECT FROM sources s JOIN source_revisions r ON r.source_id = s.id
                    WHERE s.knowledge_base_id = a.knowledge_base_id AND s.state <> 'deleting'
                      AND (a.asked_sources IS NULL OR s.slug = ANY(a.asked_sources))
                      AND r.revision > coalesce((a.source_revisions ->> s.id::text)::bigint, 0))
           OR EXISTS (SELECT FROM citations c
                       WHERE c.answer_id = a.id
                         AND NOT EXISTS (SELECT FROM publications u
                                          WHERE u.version_id = c.document_version_id AND u.withdrawn_at IS NULL)))
      FROM answers a WHERE a.id = answer_is_stale.answer_id
$$;
