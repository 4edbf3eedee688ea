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
