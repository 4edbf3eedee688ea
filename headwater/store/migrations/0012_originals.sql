-- A document remembers by what its connector can ask whether it has changed; a version, the file that it was taken from.

-- The connector's own text, such as an ETag; empty when it gave none.
ALTER TABLE documents ADD COLUMN validator text NOT NULL DEFAULT '';

-- The file that a version's text was taken from: the SHA-256 by which it is kept, and its type. NULL where the text is
-- the document.
ALTER TABLE document_versions ADD COLUMN original_hash bytea, ADD COLUMN original_media_type text;
CREATE INDEX document_versions_by_original ON document_versions (original_hash) WHERE original_hash IS NOT NULL;
