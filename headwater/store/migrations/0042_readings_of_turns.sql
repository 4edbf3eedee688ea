-- The questions that a turn of a conversation may mean, if its answer asks which.
ALTER TABLE answers ADD COLUMN readings text[] NOT NULL DEFAULT '{}';
