-- Finds offered questions by their words without reading the others.
ALTER TABLE suggestions ADD COLUMN source_id bigint;
UPDATE suggestions g SET source_id = q.source_id FROM questions q WHERE q.id = g.question_id;
ALTER TABLE suggestions ALTER COLUMN source_id SET NOT NULL;
-- Both are cut, since an index holds no word of more than 2,046 bytes, and signs may have made a question longer.
CREATE INDEX suggestions_by_beginning ON suggestions (source_id, left(words, 200) COLLATE "C") WHERE state = 'kept';
-- The source is a word among the others; it begins with a blank, so it is none of the question.
CREATE INDEX suggestions_by_words ON suggestions USING gin (
    array_to_tsvector(array_append(array_remove(string_to_array(left(words, 400), ' '), ''), ' ' || source_id::text)))
 WITH (fastupdate = off) WHERE state = 'kept';
