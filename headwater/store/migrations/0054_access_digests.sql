-- Who may read a document at its source, as a digest beside the state that was read last; empty if that is not known.
ALTER TABLE documents ADD COLUMN access_digest text NOT NULL DEFAULT '';
