-- Summaries that no model made have no entries in search: a text of titles and headings is found by its words, and a
-- vector of each would cost as much as that of its only chunk.
CREATE OR REPLACE VIEW tree_entries AS
SELECT n.id AS target_id, n.source_id, n.document_id, n.summary_key, s.embedding_hash
  FROM summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.source_id IS NOT NULL AND (n.document_id IS NULL OR n.kind = 'document') AND s.model <> 'builtin/extractive';
DELETE FROM search_entries_summary e
 USING summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.id = e.target_id AND s.model = 'builtin/extractive';
