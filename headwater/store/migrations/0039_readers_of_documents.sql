-- The parser that read a document last, which is not part of its content: another one may read the same text.
ALTER TABLE documents ADD COLUMN read_by text;
