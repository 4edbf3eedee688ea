-- Who asked, while an answer is made: nobody else may end it.
ALTER TABLE answers ADD COLUMN asked_by text;
