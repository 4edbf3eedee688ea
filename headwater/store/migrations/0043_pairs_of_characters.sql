-- Korean is split into pairs of characters from now on, Chinese and Japanese into single characters, too. Entries are
-- weighed anew where documents are in one of these languages.
CREATE TEMPORARY TABLE weighed_otherwise ON COMMIT DROP AS
SELECT DISTINCT p.search_index_id AS id FROM published_documents p JOIN document_versions v ON v.id = p.version_id
 WHERE document_language(v.language, v.detected_language) IN ('ja', 'ko', 'zh');
DELETE FROM search_weights WHERE search_index_id IN (SELECT id FROM weighed_otherwise);
DELETE FROM search_terms WHERE search_index_id IN (SELECT id FROM weighed_otherwise);
DELETE FROM search_statistics WHERE search_index_id IN (SELECT id FROM weighed_otherwise);
-- So that the search index is refreshed though no document has changed: by the next sync, or while `headwater up` runs.
UPDATE knowledge_bases SET index_digest = NULL
 WHERE id IN (SELECT i.knowledge_base_id FROM search_indexes i JOIN weighed_otherwise w ON w.id = i.id);
