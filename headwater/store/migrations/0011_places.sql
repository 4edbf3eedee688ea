-- Where in its original a text stands: on which page, at which second, in which lines.

-- Marks by offset; NULL where nobody knows, as of what an older release read. A full sync fills them in.
ALTER TABLE document_versions ADD COLUMN places jsonb;

-- From which place to which a citation's quotes go; NULL where nobody knows.
ALTER TABLE citations ADD COLUMN place jsonb;
