-- Conversations, whose turns are answers; and what readers think of answers.

CREATE TABLE conversations (
    id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    owner             text,
    title             text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX conversations_by_time ON conversations (knowledge_base_id, updated_at DESC, id DESC);

ALTER TABLE answers
    ADD COLUMN search_text text NOT NULL DEFAULT '',
    ADD COLUMN conversation_id uuid REFERENCES conversations ON DELETE CASCADE,
    ADD COLUMN parent_id uuid,
    ADD CONSTRAINT answers_of_conversation UNIQUE (conversation_id, id),
    ADD CONSTRAINT answers_parent_fkey FOREIGN KEY (conversation_id, parent_id)
        REFERENCES answers (conversation_id, id) ON DELETE SET NULL (parent_id);
CREATE INDEX answers_by_parent ON answers (conversation_id, parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE feedback (
    answer_id  uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    owner      text,
    vote       text NOT NULL CHECK (vote IN ('up', 'down')),
    comment    text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (answer_id, owner)
);
CREATE INDEX feedback_by_time ON feedback (created_at);
