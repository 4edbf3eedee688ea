-- Links between documents, and from code to symbols. The targets of chunks' links move there.

-- Records that a version was read for links, even if it has none. The number of the reader grows when links are read in
-- another way; then the version is read again.
CREATE TABLE link_sets (
    version_id   uuid PRIMARY KEY REFERENCES document_versions ON DELETE CASCADE,
    reader       integer NOT NULL,
    link_count   integer NOT NULL,
    run_id       text NOT NULL,
    code_version text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- A link as a version's text states it. `targets` are the URIs or qualified names that it may mean, the likeliest first;
-- whether they exist is found when it is read (`resolved_links`), so a document that comes or goes rewrites no link.
CREATE TABLE links (
    version_id   uuid NOT NULL REFERENCES link_sets ON DELETE CASCADE,
    position     integer NOT NULL,
    document_id  uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('references', 'defines', 'imports', 'calls')),
    family       text NOT NULL,  -- the language of a symbol; empty for documents
    name         text NOT NULL,  -- the link as written, or the last part of the symbol's name
    targets      text[] NOT NULL,
    anchor       text NOT NULL,
    origin       text NOT NULL,  -- qualified name of the definition around it; empty outside any
    start_offset integer NOT NULL,
    line         integer NOT NULL,
    PRIMARY KEY (version_id, position)
);
CREATE INDEX links_by_symbol ON links (name) WHERE kind <> 'references';
CREATE INDEX links_by_uri ON links USING gin (targets) WHERE kind = 'references';

-- The links of the versions that each index serves, with what they lead to in it. A path leads into the own source, an
-- address into any source of the knowledge base. A symbol is the one that the document itself defines, or else one of its
-- source that is defined in one document only.
CREATE VIEW resolved_links AS
SELECT p.search_index_id, i.knowledge_base_id, i.settings_hash, d.source_id, l.*,
       coalesce(r.document_id, c.document_id) AS target_document_id,
       coalesce(r.version_id, c.version_id) AS target_version_id,
       coalesce(c.start_offset, 0) AS target_offset, coalesce(c.line, 1) AS target_line,
       coalesce(c.symbol, '') AS target_symbol
  FROM links l
       JOIN published_documents p ON p.document_id = l.document_id AND p.version_id = l.version_id
       JOIN search_indexes i ON i.id = p.search_index_id
       JOIN documents d ON d.id = l.document_id
       LEFT JOIN LATERAL (
           SELECT td.id AS document_id, tp.version_id
             FROM unnest(l.targets) WITH ORDINALITY AS t (uri, place)
                  JOIN sources ts ON ts.id = d.source_id
                                  OR (t.uri ~ '^https?://' AND ts.knowledge_base_id = i.knowledge_base_id)
                  JOIN documents td ON td.source_id = ts.id AND td.uri = t.uri
                  JOIN published_documents tp ON tp.search_index_id = p.search_index_id AND tp.document_id = td.id
            ORDER BY td.source_id = d.source_id DESC, t.place, td.id LIMIT 1) AS r ON l.kind = 'references'
       LEFT JOIN LATERAL (
           SELECT f.* FROM (
                  SELECT k.document_id, k.version_id, k.start_offset, k.line, k.targets[1] AS symbol,
                         t.place = min(t.place) OVER () AS is_first,
                         min(k.document_id::text) OVER same = max(k.document_id::text) OVER same AS is_only
                    FROM unnest(l.targets) WITH ORDINALITY AS t (symbol, place)
                         JOIN links k ON k.kind = 'defines' AND k.name = l.name AND k.family = l.family
                                     AND k.targets[1] = t.symbol
                         JOIN published_documents kp ON kp.search_index_id = p.search_index_id
                                                    AND kp.document_id = k.document_id AND kp.version_id = k.version_id
                         JOIN documents kd ON kd.id = k.document_id AND kd.source_id = d.source_id
                  WINDOW same AS (PARTITION BY t.place)) AS f
            WHERE f.is_first AND (f.is_only OR f.document_id = l.document_id)
            ORDER BY f.document_id = l.document_id DESC, f.start_offset LIMIT 1)
           AS c ON l.kind IN ('imports', 'calls');

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

ALTER TABLE chunks DROP COLUMN outgoing;
