-- Golden questions with answers, from more than files; evaluations of answers.

ALTER TABLE golden_questions
    ADD COLUMN answer text,
    ADD COLUMN is_unanswerable boolean NOT NULL DEFAULT false,
    ADD COLUMN origin text NOT NULL DEFAULT 'file' CHECK (origin IN ('file', 'added', 'generated', 'promoted')),
    ADD COLUMN answer_id uuid;

ALTER TABLE evaluations
    ADD COLUMN counts jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN answer_model text,
    ADD COLUMN judge_model text,
    ADD COLUMN judge_prompt text;

CREATE INDEX golden_questions_by_answer ON golden_questions (answer_id) WHERE answer_id IS NOT NULL;
