-- A conversation may have a link at which others read it.
ALTER TABLE conversations ADD COLUMN share_token text UNIQUE;
