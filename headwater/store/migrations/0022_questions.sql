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
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    version_id      uuid,  -- of the document, when it was checked
    state           text NOT NULL CHECK (state IN ('kept', 'not_found', 'same')),
    same_as         uuid,
    words           text NOT NULL,
    vector          halfvec NOT NULL,
    run_id          text NOT NULL,
    code_version    text NOT NULL,
    checked_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX suggestions_by_index ON suggestions (search_index_id, state);

-- The answers that were made before anybody asked.
CREATE TABLE answers_ahead (
    answer_id    uuid PRIMARY KEY REFERENCES answers ON DELETE CASCADE,
    run_id       text NOT NULL,
    code_version text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
