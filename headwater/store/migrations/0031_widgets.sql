-- Widgets on web sites, what each has used of its daily budget, and who asked which question.

CREATE TABLE widgets (
    id                text PRIMARY KEY,  -- public: it is in the pages of the sites
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    slug              text NOT NULL,
    settings          jsonb NOT NULL,
    secret            bytea NOT NULL,  -- signs the tokens of its visitors
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (knowledge_base_id, slug)
);

-- A row is the budget of a day: a question is counted before its answer begins, its cost once the answer has ended.
CREATE TABLE widget_days (
    widget_id text NOT NULL REFERENCES widgets ON DELETE CASCADE,
    day       date NOT NULL,  -- UTC
    questions integer NOT NULL,
    cost      double precision NOT NULL DEFAULT 0,  -- US dollars
    PRIMARY KEY (widget_id, day)
);

-- Only the visitor who asked a question reads its answer, votes on it, and asks further.
CREATE TABLE widget_questions (
    id        uuid PRIMARY KEY,  -- of the answer that was begun for it
    widget_id text NOT NULL REFERENCES widgets ON DELETE CASCADE,
    visitor   text NOT NULL,
    follows   uuid,  -- the visitor's question before it
    answer_id uuid NOT NULL,  -- another answer than its own if that was served from the store; its row may come later
    day       date NOT NULL,
    asked_at  timestamptz NOT NULL DEFAULT now(),
    cost      double precision,  -- US dollars; NULL until it is added to the day
    vote      text CHECK (vote IN ('up', 'down')),
    voted_at  timestamptz
);
CREATE INDEX widget_questions_by_widget ON widget_questions (widget_id, asked_at);
CREATE INDEX widget_questions_without_cost ON widget_questions (widget_id) WHERE cost IS NULL;
CREATE INDEX widget_questions_by_time ON widget_questions (asked_at);
