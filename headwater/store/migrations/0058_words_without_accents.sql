-- A question without accents now finds words with accents. The entries of a search index are weighed again if one of
-- its documents is in a language whose stemmer tells both apart, or that has accents and no stemmer. If the language
-- of a document is unknown, that of its search index counts.
CREATE TEMPORARY TABLE weighed_with_accents ON COMMIT DROP AS
SELECT DISTINCT id
  FROM (SELECT i.id, i.language AS fallback, lower(document_language(v.language, v.detected_language)) AS language
          FROM published_documents p JOIN document_versions v ON v.id = p.version_id
               JOIN search_indexes i ON i.id = p.search_index_id) AS l
 WHERE stemming_language(language, fallback) NOT IN ('arabic', 'english', 'german', 'greek', 'russian')
   AND left(language, 2) NOT IN ('bg', 'fa', 'he', 'ja', 'ko', 'th', 'uk', 'zh');
DELETE FROM search_weights WHERE search_index_id IN (SELECT id FROM weighed_with_accents);
DELETE FROM search_terms WHERE search_index_id IN (SELECT id FROM weighed_with_accents);
DELETE FROM search_statistics WHERE search_index_id IN (SELECT id FROM weighed_with_accents);
-- So that the search index is refreshed though no document has changed: by the next sync, or while `headwater up` runs.
UPDATE knowledge_bases SET index_digest = NULL
 WHERE id IN (SELECT i.knowledge_base_id FROM search_indexes i JOIN weighed_with_accents w ON w.id = i.id);
