-- Questions that documents answer, and those of them that readers are offered.

-- The questions that were made of a text, by the hash of (text, title, prompt, model, number): the same are never paid for
-- twice. Their number may be 0.
CREATE TABLE question_sets (
    key               bytea PRIMARY KEY,
    questions         text[] NOT NULL,
    model             text NOT NULL,
    prompt_version    text NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    cost_usd          double precision,  -- NULL if the price is not known
    source_id         bigint NOT NULL,  -- that it was made for first, which may be deleted since
    run_id            text NOT NULL,
    code_version      text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX question_sets_by_source ON question_sets (source_id);

-- The questions of each document, and of each source as a whole: then `document_id` is NULL.
CREATE TABLE questions (
    id          uuid PRIMARY KEY,
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    document_id uuid REFERENCES documents ON DELETE CASCADE,
    position    integer NOT NULL,
    question    text NOT NULL,
    set_key     bytea NOT NULL REFERENCES question_sets
);
CREATE INDEX questions_by_source ON questions (source_id);
CREATE INDEX questions_by_document ON questions (document_id);
CREATE INDEX questions_by_set ON questions (set_key);

-- What the questions of a document were made of.
CREATE TABLE questioned_documents (
    document_id   uuid PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    version_id    uuid NOT NULL,
    settings_hash bytea NOT NULL,
    recipe_hash   bytea NOT NULL,
    summary_key   bytea  -- NULL if they were made of the document's own text
);

-- Each question that was checked against a search index. Readers are offered those that are `kept`; the others were not
-- found, are in no trusted passage, or say the same as the question `same_as`. `words` begins with a blank and is the
-- question without what makes no difference.
CREATE TABLE suggestions (
    question_id     uuid PRIMARY KEY REFERENCES questions ON DELETE CASCADE,
    search_index_id bigint NOT NULL,  -- which may be gone: then it has to be checked again
    version_id      uuid,  -- of the document, when it was checked
    state           text NOT NULL CHECK (state IN ('kept', 'not_found', 'same')),
    same_as         uuid,
    words           text NOT NULL,
    embedding_hash  bytea NOT NULL,
    vector          halfvec NOT NULL,
    run_id          text NOT NULL,
    code_version    text NOT NULL,
    checked_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX suggestions_by_index ON suggestions (search_index_id, state);
CREATE INDEX suggestions_by_embedding ON suggestions (embedding_hash);

-- What readers are offered now: questions that were kept, of sources that are not being deleted and of documents that they
-- see. A vector that another index's model made is left out.
CREATE VIEW offered_questions AS
SELECT q.id, q.question, q.position, s.knowledge_base_id, q.source_id, s.slug AS source, q.document_id, d.uri,
       coalesce(nullif(v.title, ''), d.uri, s.slug) AS title, g.words, i.model,
       CASE WHEN g.search_index_id = i.id THEN g.vector END AS vector
  FROM suggestions g JOIN questions q ON q.id = g.question_id
       JOIN sources s ON s.id = q.source_id AND s.state <> 'deleting'
       JOIN search_indexes i ON i.knowledge_base_id = s.knowledge_base_id AND i.state = 'active'
       LEFT JOIN published_documents p ON p.search_index_id = i.id AND p.document_id = q.document_id
       LEFT JOIN documents d ON d.id = q.document_id
       LEFT JOIN document_versions v ON v.id = p.version_id
 WHERE g.state = 'kept' AND (q.document_id IS NULL OR p.version_id IS NOT NULL);

-- The answers that were made before anybody asked.
CREATE TABLE answers_ahead (
    answer_id    uuid PRIMARY KEY REFERENCES answers ON DELETE CASCADE,
    run_id       text NOT NULL,
    code_version text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
