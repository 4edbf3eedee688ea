-- Reads the definition of a symbol in the same few steps, however many files define its name.
DROP VIEW described_links;
DROP VIEW resolved_links;
ALTER TABLE links ADD COLUMN source_id bigint;
UPDATE links l SET source_id = d.source_id FROM documents d WHERE d.id = l.document_id;
DELETE FROM link_sets s WHERE EXISTS (SELECT FROM links l WHERE l.version_id = s.version_id AND l.source_id IS NULL);
ALTER TABLE links ALTER COLUMN source_id SET NOT NULL;
DROP INDEX links_by_symbol;
-- It finds a name, and in order of the documents a definition: among thousands of the same name, and of the same symbol.
CREATE INDEX links_by_symbol ON links (name, kind, family, source_id, md5(targets[1]), document_id, start_offset)
 WHERE kind <> 'references';

-- The definitions that each index serves.
CREATE VIEW published_definitions AS
SELECT p.search_index_id, k.source_id, k.name, k.family, k.targets[1] AS symbol, md5(k.targets[1]) AS symbol_hash,
       k.document_id, k.version_id, k.start_offset, k.line
  FROM links k JOIN published_documents p ON p.document_id = k.document_id AND p.version_id = k.version_id
 WHERE k.kind = 'defines';

-- The links of the versions that each index serves, with what they lead to in it. A path leads into the own source, an
-- address into any source of the knowledge base. A symbol is the one that the document itself defines, or else one of its
-- source that is defined in one document only. Each link reads the same few definitions, however many there are: that of
-- its own document, the first one, and whether another document has one.
CREATE VIEW resolved_links AS
SELECT p.search_index_id, i.knowledge_base_id, i.settings_hash, l.*,
       coalesce(r.document_id, c.document_id) AS target_document_id,
       coalesce(r.version_id, c.version_id) AS target_version_id,
       coalesce(c.start_offset, 0) AS target_offset, coalesce(c.line, 1) AS target_line,
       coalesce(c.symbol, '') AS target_symbol
  FROM links l
       JOIN published_documents p ON p.document_id = l.document_id AND p.version_id = l.version_id
       JOIN search_indexes i ON i.id = p.search_index_id
       LEFT JOIN LATERAL (
           SELECT td.id AS document_id, tp.version_id
             FROM unnest(l.targets) WITH ORDINALITY AS t (uri, place)
                  JOIN sources ts ON ts.id = l.source_id
                                  OR (t.uri ~ '^https?://' AND ts.knowledge_base_id = i.knowledge_base_id)
                  JOIN documents td ON td.source_id = ts.id AND td.uri = t.uri
                  JOIN published_documents tp ON tp.search_index_id = p.search_index_id AND tp.document_id = td.id
            WHERE l.kind = 'references'
            ORDER BY td.source_id = l.source_id DESC, t.place, td.id LIMIT 1) AS r ON true
       LEFT JOIN LATERAL (
           SELECT f.*
             FROM (SELECT k.*, t.symbol
                     FROM unnest(l.targets) WITH ORDINALITY AS t (symbol, place)
                          CROSS JOIN LATERAL (
                              (SELECT true AS is_own, o.document_id, o.version_id, o.start_offset, o.line
                                 FROM published_definitions o
                                WHERE o.search_index_id = p.search_index_id AND o.source_id = l.source_id
                                  AND o.name = l.name AND o.family = l.family AND o.symbol_hash = md5(t.symbol)
                                  AND o.document_id = l.document_id
                                ORDER BY o.start_offset LIMIT 1)
                               UNION ALL
                              (SELECT false, o.document_id, o.version_id, o.start_offset, o.line
                                 FROM published_definitions o
                                WHERE o.search_index_id = p.search_index_id AND o.source_id = l.source_id
                                  AND o.name = l.name AND o.family = l.family AND o.symbol_hash = md5(t.symbol)
                                ORDER BY o.document_id, o.start_offset LIMIT 1)) AS k
                    WHERE l.kind IN ('imports', 'calls')
                    ORDER BY t.place, k.is_own DESC LIMIT 1) AS f
            WHERE f.is_own
               OR NOT EXISTS (SELECT FROM published_definitions o
                               WHERE o.search_index_id = p.search_index_id AND o.source_id = l.source_id
                                 AND o.name = l.name AND o.family = l.family AND o.symbol_hash = md5(f.symbol)
                                 AND o.document_id > f.document_id)) AS c ON true;

-- The same with the documents and chunks at both ends, for people.
CREATE VIEW described_links AS
SELECT l.search_index_id, l.source_id, l.document_id, l.target_document_id, l.kind, l.family, l.name, l.targets,
       l.anchor, l.position, l.start_offset,
       os.slug AS origin_source, od.uri AS origin_uri, coalesce(nullif(ov.title, ''), od.uri) AS origin_title,
       l.line AS origin_line, l.origin AS origin_symbol,
       (SELECT vc.chunk_id FROM version_chunks vc
         WHERE vc.version_id = l.version_id AND vc.settings_hash = l.settings_hash AND vc.start_offset <= l.start_offset
         ORDER BY vc.position DESC LIMIT 1) AS origin_chunk_id,
       ts.slug AS target_source, td.uri AS target_uri, coalesce(nullif(tv.title, ''), td.uri) AS target_title,
       CASE WHEN l.target_symbol = '' THEN coalesce(tc.line, 1) ELSE l.target_line END AS target_line, l.target_symbol,
       tc.chunk_id AS target_chunk_id
  FROM resolved_links l
       JOIN documents od ON od.id = l.document_id JOIN sources os ON os.id = od.source_id
       JOIN document_versions ov ON ov.id = l.version_id
       LEFT JOIN documents td ON td.id = l.target_document_id LEFT JOIN sources ts ON ts.id = td.source_id
       LEFT JOIN document_versions tv ON tv.id = l.target_version_id
       LEFT JOIN LATERAL (
           SELECT vc.chunk_id, vc.line FROM version_chunks vc
            WHERE vc.version_id = l.target_version_id AND vc.settings_hash = l.settings_hash
              AND (vc.start_offset <= l.target_offset OR l.anchor = ANY(vc.anchors))
            ORDER BY l.anchor <> '' AND l.anchor = ANY(vc.anchors) DESC, vc.position DESC LIMIT 1) AS tc ON true;

-- A bot's key may read the messages that wait for bots; a reader's may not.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scope_check;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scope_check CHECK (scope IN ('read', 'bot', 'write', 'admin'));

-- Offers the first questions of a source without reading the others.
DROP INDEX questions_by_source;
CREATE INDEX questions_by_source ON questions (source_id, position, md5(id::text));
