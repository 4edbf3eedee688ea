-- The complete current schema, for readers; `headwater migrate` applies migrations/, and a test checks that both agree.

CREATE EXTENSION IF NOT EXISTS vector;

-- A named set of documents that is asked on its own.
CREATE TABLE knowledge_bases (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug         text NOT NULL,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    settings     jsonb NOT NULL DEFAULT '{}',
    index_digest text,  -- of the last refresh of its search index
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,  -- hidden since then; its rows are being removed
    checked_at   timestamptz,  -- changes since then are new to the next check
    managed_by   text  -- the Dagster project that alone changes it
);
CREATE UNIQUE INDEX knowledge_bases_by_slug ON knowledge_bases (slug) WHERE deleted_at IS NULL;

-- A configured origin of documents. `fencing_token` is the number of the sync that may write: a sync that was
-- overtaken (its lock lost with its connection) finds another number here and stops. A source is synced when
-- `refresh_seconds` have passed, but not while paused; tags and category apply to all its documents. A deleted source
-- is `deleting` until its rows are removed, and its slug is free meanwhile.
CREATE TABLE sources (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    slug              text NOT NULL,
    kind              text NOT NULL,
    config            jsonb NOT NULL,
    state             text NOT NULL DEFAULT 'pending'
                      CHECK (state IN ('pending', 'syncing', 'ready', 'failed', 'deleting')),
    error             text,
    fencing_token     bigint NOT NULL DEFAULT 0,
    synced_at         timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    refresh_seconds   integer CHECK (refresh_seconds >= 60),
    tags              text[] NOT NULL DEFAULT '{}',
    category          text NOT NULL DEFAULT '',
    paused_at         timestamptz,
    verified_at       timestamptz,  -- time of the last full sync
    drift_share       real,  -- share of its chunks that a fresh split would not make
    awaited_at        timestamptz,  -- when a sync was wanted while another ran; the next one that begins clears it
    schedule          text,  -- a cron line, in its time zone
    time_zone         text NOT NULL DEFAULT 'UTC',
    scheduled_at      timestamptz,  -- when the cron line next makes it due
    deletion_guard    double precision NOT NULL DEFAULT 0.5 CHECK (deletion_guard BETWEEN 0 AND 1),
    held_deletions    integer,  -- how many documents the last sync would have removed, but asks first
    confirmed_deletions integer,  -- how many of them somebody has agreed to
    managed_by        text,  -- the Dagster project that alone changes and syncs it
    workers           integer NOT NULL DEFAULT 1 CHECK (workers BETWEEN 1 AND 64)  -- runs that may work on it at once
);
CREATE UNIQUE INDEX sources_by_slug ON sources (knowledge_base_id, slug) WHERE state <> 'deleting';
CREATE INDEX sources_by_knowledge_base ON sources (knowledge_base_id);

-- A source that is being deleted stays so: no worker can change its state.
CREATE FUNCTION keep_deleting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER sources_keep_deleting BEFORE UPDATE ON sources
    FOR EACH ROW WHEN (OLD.state = 'deleting') EXECUTE FUNCTION keep_deleting();

-- A request to sync some sources of one knowledge base. `origin` is the requester: the API, a command, a run
-- started in Dagster, or a source's own interval or the schedule.
CREATE TABLE syncs (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    origin            text NOT NULL CHECK (origin IN ('api', 'command_line', 'dagster', 'schedule')),
    requested_at      timestamptz NOT NULL DEFAULT now(),
    is_full           boolean NOT NULL DEFAULT false  -- read every document again
);
CREATE INDEX syncs_by_time ON syncs (requested_at);
CREATE INDEX syncs_by_knowledge_base ON syncs (knowledge_base_id);

-- One source's part of a sync; its id is the fencing token. `batch` names the future run before that run exists.
CREATE TABLE sync_sources (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sync_id        bigint NOT NULL REFERENCES syncs ON DELETE CASCADE,
    source_id      bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    state          text NOT NULL DEFAULT 'pending'
                   CHECK (state IN ('pending', 'queued', 'syncing', 'ready', 'failed', 'cancelled')),
    batch          text,
    run_id         text,
    document_count integer NOT NULL DEFAULT 0,
    added_count    integer NOT NULL DEFAULT 0,
    changed_count  integer NOT NULL DEFAULT 0,
    removed_count  integer NOT NULL DEFAULT 0,
    unchanged_count integer NOT NULL DEFAULT 0,
    chunk_count    integer NOT NULL DEFAULT 0,
    embedded_count integer NOT NULL DEFAULT 0,
    written_count  integer NOT NULL DEFAULT 0,
    duration_ms    double precision,
    stage          text,
    done_count     integer NOT NULL DEFAULT 0,  -- progress of the current stage
    total_count    integer NOT NULL DEFAULT 0,
    errors         jsonb NOT NULL DEFAULT '[]',
    started_at     timestamptz,
    finished_at    timestamptz,
    documents_total integer,  -- known once the source was listed
    documents_done integer NOT NULL DEFAULT 0,
    failed_count   integer NOT NULL DEFAULT 0,
    token_count    bigint NOT NULL DEFAULT 0,  -- sent to the embedding model
    cost_usd       double precision NOT NULL DEFAULT 0,
    attempt_count  integer NOT NULL DEFAULT 0,  -- lost workers
    cancelled_at   timestamptz,
    skipped        jsonb,  -- by reason; NULL while the source has not been listed
    summarized_count integer NOT NULL DEFAULT 0,
    reused_count   integer NOT NULL DEFAULT 0,  -- summaries that existed
    summaries_left integer NOT NULL DEFAULT 0,  -- at most, after it stopped at its budget
    questions_left integer NOT NULL DEFAULT 0,  -- documents that it did not ask about, since its budget was spent
    to_embed_count integer NOT NULL DEFAULT 0,  -- texts that were embedded, and those known to lack a vector
    stage_started_at timestamptz,
    current_uri    text NOT NULL DEFAULT '',  -- the document that is read now
    UNIQUE (sync_id, source_id)
);
CREATE INDEX sync_sources_by_source ON sync_sources (source_id, finished_at);
CREATE INDEX sync_sources_open ON sync_sources (state) WHERE state IN ('pending', 'queued', 'syncing');
CREATE INDEX sync_sources_cancelled ON sync_sources (cancelled_at) WHERE state = 'cancelled';

-- A share of a source's documents that the run of a sync leaves to a helper, while the row exists and says `working` or
-- `finishing` (when nothing new comes any more); with what the helper has done. The leading run alone deletes it.
CREATE TABLE sync_shares (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sync_source_id bigint NOT NULL REFERENCES sync_sources ON DELETE CASCADE,
    ordinal        integer NOT NULL,  -- of `count`; 0 is the leading run's own
    count          integer NOT NULL,
    state          text NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'taken', 'working', 'finishing')),
    run_id         text,  -- of the helper
    done_count     integer NOT NULL DEFAULT 0,  -- documents
    embedded_count integer NOT NULL DEFAULT 0,
    to_embed_count integer NOT NULL DEFAULT 0,
    written_count  integer NOT NULL DEFAULT 0,
    token_count    bigint NOT NULL DEFAULT 0,
    cost_usd       double precision NOT NULL DEFAULT 0,
    is_cost_known  boolean NOT NULL DEFAULT true,
    UNIQUE (sync_source_id, ordinal)
);

-- Whether a live process holds an advisory lock with this name; Postgres frees it when the process ends.
CREATE FUNCTION is_locked(name text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (
        SELECT FROM hashtextextended(name, 0) AS key, pg_locks l
         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
           AND l.classid = ((key >> 32) & 4294967295)::oid AND l.objid = (key & 4294967295)::oid)
$$;

-- The data version that Dagster last received, by stage: only a different one is sent again.
CREATE TABLE source_stages (
    source_id       bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    stage           text NOT NULL,
    data_version    text NOT NULL,
    partition_key   text NOT NULL,
    run_id          text NOT NULL,
    materialized_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, stage)
);

-- A run of a Dagster project that wrote something of a source which it manages: the address of its Dagster, and what the
-- source is made of there, as a JSON list with an object per asset.
CREATE TABLE outside_runs (
    run_id      text NOT NULL,
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    dagster_url text NOT NULL,
    upstream    jsonb NOT NULL DEFAULT '[]',
    began_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, source_id)
);
CREATE INDEX outside_runs_by_source ON outside_runs (source_id);

-- A file that was uploaded to a source of kind `files`; its content is in the store of originals, by its hash. The hash is
-- NULL once the file has been released, while its source is being deleted. `media_type` is what the client named.
CREATE TABLE source_files (
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    name        text NOT NULL,
    hash        bytea,
    size        bigint NOT NULL,
    media_type  text NOT NULL,
    uploaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, name)
);
CREATE INDEX source_files_by_hash ON source_files (hash) WHERE hash IS NOT NULL;

-- A document is (source, canonical URI). `fingerprint` is that of the raw bytes last read, and `validator` is the value
-- with which its connector asks for changes; `head_version_id` is the newest version, which becomes visible when an index
-- publishes it; a document that disappeared has `removed_at`.
CREATE TABLE documents (
    id              uuid PRIMARY KEY,
    source_id       bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    uri             text NOT NULL,
    fingerprint     text NOT NULL,
    head_version_id uuid NOT NULL,
    removed_at      timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    validator       text NOT NULL DEFAULT '',  -- such as an ETag; empty without one
    read_by         text,  -- the version of the parser that read it last; NULL if the one of its newest version did
    access_digest   text NOT NULL DEFAULT '',  -- of who may read it at its source; empty if that is not known
    UNIQUE (source_id, uri)
);

CREATE TABLE document_versions (
    id             uuid PRIMARY KEY,
    document_id    uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    sequence       integer NOT NULL,
    content_hash   bytea NOT NULL,
    parser_version text NOT NULL,
    title          text NOT NULL,
    text           text NOT NULL,
    media_type     text NOT NULL,
    category       text NOT NULL,
    language       text NOT NULL,
    metadata       jsonb NOT NULL,
    outgoing       text[] NOT NULL,  -- URIs that the text links to within its source
    fetched_at     timestamptz NOT NULL,
    run_id         text NOT NULL,
    code_version   text NOT NULL,
    dated_at       timestamptz,  -- when it was written or changed, according to its metadata
    detected_language text,  -- NULL until detection, empty if it is uncertain
    places         jsonb,  -- positions in the original, by offset; NULL if unknown
    original_hash  bytea,  -- SHA-256 of the original; NULL if the text is the document
    original_media_type text,
    UNIQUE (document_id, sequence)
);
CREATE INDEX document_versions_by_original ON document_versions (original_hash) WHERE original_hash IS NOT NULL;

-- A document's language: the one it declares, or else the detected one; empty if unknown.
CREATE FUNCTION document_language(declared text, detected text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(nullif(btrim(declared), ''), detected, '')
$$;

-- The dictionary that stems a text; `headwater.domain.languages.stemming_language` does the same. The list at the end are
-- the languages without a dictionary.
CREATE FUNCTION stemming_language(tag text, fallback text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN tag = '' OR fallback = 'simple' THEN fallback ELSE coalesce(
        '{"ar": "arabic", "ara": "arabic", "arabic": "arabic", "arb": "arabic", "arm": "armenian",
          "armenian": "armenian", "baq": "basque", "basque": "basque", "ca": "catalan", "cat": "catalan",
          "catalan": "catalan", "da": "danish", "dan": "danish", "danish": "danish", "de": "german", "deu": "german",
          "dut": "dutch", "dutch": "dutch", "el": "greek", "ell": "greek", "en": "english", "eng": "english",
          "english": "english", "es": "spanish", "eu": "basque", "eus": "basque", "fi": "finnish", "fin": "finnish",
          "finnish": "finnish", "fr": "french", "fra": "french", "fre": "french", "french": "french", "ga": "irish",
          "ger": "german", "german": "german", "gle": "irish", "gre": "greek", "greek": "greek", "hi": "hindi",
          "hin": "hindi", "hindi": "hindi", "hu": "hungarian", "hun": "hungarian", "hungarian": "hungarian",
          "hy": "armenian", "hye": "armenian", "id": "indonesian", "in": "indonesian", "ind": "indonesian",
          "indonesian": "indonesian", "irish": "irish", "it": "italian", "ita": "italian", "italian": "italian",
          "ji": "yiddish", "lit": "lithuanian", "lithuanian": "lithuanian", "lt": "lithuanian", "nb": "norwegian",
          "ne": "nepali", "nep": "nepali", "nepali": "nepali", "nl": "dutch", "nld": "dutch", "nn": "norwegian",
          "nno": "norwegian", "no": "norwegian", "nob": "norwegian", "nor": "norwegian", "norwegian": "norwegian",
          "por": "portuguese", "portuguese": "portuguese", "pt": "portuguese", "ro": "romanian",
          "romanian": "romanian", "ron": "romanian", "ru": "russian", "rum": "romanian", "rus": "russian",
          "russian": "russian", "serbian": "serbian", "spa": "spanish", "spanish": "spanish", "sr": "serbian",
          "srp": "serbian", "sv": "swedish", "swe": "swedish", "swedish": "swedish", "ta": "tamil", "tam": "tamil",
          "tamil": "tamil", "tr": "turkish", "tur": "turkish", "turkish": "turkish", "yi": "yiddish",
          "yid": "yiddish", "yiddish": "yiddish"}'::jsonb
            ->> split_part(replace(lower(btrim(tag)), '_', '-'), '-', 1),
        CASE WHEN split_part(replace(lower(btrim(tag)), '_', '-'), '-', 1) = ANY (
          '{aa, aar, ab, abk, ace, ae, af, afr, ak, aka, alb, am, amh, an, ang, arg, ary, arz, as, ast, av, ava, ave,
           awa, ay, aym, az, aze, ba, bak, bam, bar, be, bel, ben, bg, bho, bi, bis, bm, bn, bo, bod, bos, br, bre,
           bs, bul, bur, ce, ceb, ces, ch, cha, che, chi, chr, chu, chv, ckb, cmn, co, cor, cos, cr, cre, crh, cs,
           csb, cu, cv, cy, cym, cze, div, dsb, dv, dz, dzo, ee, enm, eo, epo, est, et, ewe, fa, fao, fas, ff, fij,
           fil, fj, fo, frr, fry, ful, fur, fy, gan, gd, geo, gez, gl, gla, glg, glv, gn, got, grc, grn, gsw, gu,
           guj, gv, ha, hak, hat, hau, haw, he, heb, her, hil, hmo, ho, hr, hrv, hsb, ht, hz, ia, ibo, ice, ido, ie,
           ig, ii, iii, ik, iku, ile, ilo, ina, inh, io, ipk, is, isl, iu, iw, ja, jav, jpn, jv, ka, kaa, kab, kal,
           kan, kas, kat, kau, kaz, kbd, kg, khm, ki, kik, kin, kir, kj, kk, kl, km, kn, ko, kok, kom, kon, kor, kr,
           krc, krl, ks, ku, kua, kur, kv, kw, ky, la, lad, lao, lat, lav, lb, lez, lg, li, lij, lim, lin, lmo, ln,
           lo, ltg, ltz, lu, lub, lug, lv, mac, mad, mag, mah, mai, mal, mao, mar, may, mdf, mg, mh, mhr, mi, min,
           mk, mkd, ml, mlg, mlt, mn, mni, mon, mr, mri, ms, msa, mt, mwl, my, mya, myv, na, nan, nap, nau, nav, nbl,
           nd, nde, ndo, nds, ng, nqo, nr, nso, nv, ny, nya, oc, oci, oj, oji, om, or, ori, orm, os, oss, pa, pag,
           pam, pan, pap, pcd, per, pes, pi, pl, pli, pnb, pol, ps, pus, qu, que, rm, rn, roh, rue, run, rw, sa, sag,
           sah, san, sat, sc, scn, sco, sd, se, sg, si, sin, sk, sl, slk, slo, slv, sm, sma, sme, smj, smn, smo, sms,
           sn, sna, snd, so, som, sot, sq, sqi, srd, srn, ss, ssw, st, stq, su, sun, sw, swa, szl, tah, tat, te, tel,
           tet, tg, tgk, tgl, th, tha, ti, tib, tir, tk, tl, tn, to, ton, tpi, ts, tsn, tso, tt, tuk, tum, tw, twi,
           ty, tyv, udm, ug, uig, uk, ukr, ur, urd, uz, uzb, ve, vec, ven, vep, vi, vie, vls, vo, vol, vro, wa, war,
           wel, wln, wo, wol, wuu, xal, xh, xho, yo, yor, yue, za, zea, zh, zha, zho, zu, zul, zza}'::text[])
             THEN 'simple' ELSE fallback END) END
$$;

-- A chunk is (document, chunk settings, hash of its text, occurrence). `prose` is the embedded text, if that is not
-- the whole text.
CREATE TABLE chunks (
    id              uuid PRIMARY KEY,
    document_id     uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    settings_hash   bytea NOT NULL,
    kind            text NOT NULL,
    text            text NOT NULL,
    prose           text,
    character_count integer NOT NULL,
    run_id          text NOT NULL,
    code_version    text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    token_count     integer NOT NULL DEFAULT 0,  -- an estimate that needs no model
    quality         real NOT NULL DEFAULT 0  -- between 0 and 1
);
CREATE INDEX chunks_by_document ON chunks (document_id);

-- Records that a version was split with some settings, even if it has no chunks.
CREATE TABLE chunk_sets (
    version_id    uuid NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    settings_hash bytea NOT NULL,
    chunk_count   integer NOT NULL,
    run_id        text NOT NULL,
    code_version  text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    drift_count   integer,  -- chunks that a fresh split would not make; NULL if not counted yet
    PRIMARY KEY (version_id, settings_hash)
);

-- The fields of a chunk that depend on the version: its position, its headings, and so the embedded text.
CREATE TABLE version_chunks (
    version_id     uuid NOT NULL,
    settings_hash  bytea NOT NULL,
    position       integer NOT NULL,
    chunk_id       uuid NOT NULL REFERENCES chunks ON DELETE CASCADE,
    start_offset   integer NOT NULL,
    end_offset     integer NOT NULL,
    overlap_count  integer NOT NULL,  -- leading characters that repeat the previous chunk
    line           integer NOT NULL,
    breadcrumb     text[] NOT NULL,
    embedding_hash bytea NOT NULL,
    parent_position integer,  -- position of its parent chunk
    heading_hash   bytea,  -- of its breadcrumb, embedded alone; NULL without one
    anchors        text[] NOT NULL DEFAULT '{}',  -- anchors of the headings in it
    PRIMARY KEY (version_id, settings_hash, position),
    FOREIGN KEY (version_id, settings_hash) REFERENCES chunk_sets ON DELETE CASCADE
);
CREATE INDEX version_chunks_by_chunk ON version_chunks (chunk_id, version_id);
CREATE INDEX version_chunks_by_embedding ON version_chunks (embedding_hash);
CREATE INDEX version_chunks_by_heading ON version_chunks (heading_hash);

-- The vector cache: one vector per model and text, found by key only.
CREATE TABLE embeddings (
    model        text NOT NULL,
    text_hash    bytea NOT NULL,
    vector       halfvec NOT NULL,
    token_count  integer NOT NULL,
    run_id       text NOT NULL,
    code_version text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model, text_hash)
);

-- The search index of a (knowledge base, model, chunk settings, language). `shard` 0 is the table that small indexes share;
-- a large index has its own partition, numbered like itself. `ef_search` is the value that reached the measured recall;
-- `gate` is the last report of the gate.
CREATE TABLE search_indexes (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    model             text NOT NULL,
    dimensions        integer NOT NULL,
    chunk_settings    jsonb NOT NULL,
    settings_hash     bytea NOT NULL,
    language          text NOT NULL,
    state             text NOT NULL CHECK (state IN ('building', 'active', 'retained')),
    shard             bigint NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    activated_at      timestamptz,
    ef_search         integer,
    recall            double precision,
    gate              jsonb,
    retained_at       timestamptz,
    measured_at       timestamptz,  -- when `recall` was measured
    measured_documents bigint,  -- its number of documents then
    UNIQUE (knowledge_base_id, model, settings_hash, language)
);
CREATE UNIQUE INDEX search_indexes_active ON search_indexes (knowledge_base_id) WHERE state = 'active';

-- An entry per target: `kind` says whether it is a chunk, a heading or a summary, and selects the partition. Searches
-- compare with all heading entries of an index, so those of a large index stay in `search_entries_heading` too; so do
-- summaries. A summary of a group or a source has no document.
CREATE TABLE search_entries (
    shard           bigint NOT NULL,
    search_index_id bigint NOT NULL,
    target_id       uuid NOT NULL,
    document_id     uuid,
    source_id       bigint,
    title           text NOT NULL,
    embedding_hash  bytea NOT NULL,
    vector          halfvec NOT NULL,
    kind            text NOT NULL
) PARTITION BY LIST (kind);
CREATE TABLE search_entries_chunk PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('chunk') PARTITION BY LIST (shard);
CREATE TABLE search_entries_chunk_shared PARTITION OF search_entries_chunk
    FOR VALUES IN (0) WITH (toast_tuple_target = 8160);
CREATE TABLE search_entries_heading PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('heading') WITH (toast_tuple_target = 8160);
CREATE TABLE search_entries_summary PARTITION OF search_entries
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('summary') WITH (toast_tuple_target = 8160);
ALTER TABLE search_entries_chunk ALTER COLUMN document_id SET NOT NULL, ALTER COLUMN source_id SET NOT NULL;
ALTER TABLE search_entries_heading ALTER COLUMN document_id SET NOT NULL, ALTER COLUMN source_id SET NOT NULL;
CREATE INDEX search_entries_by_document ON search_entries (document_id, search_index_id);
CREATE INDEX search_entries_by_source ON search_entries (source_id, search_index_id);

-- The number of a term in sparse vectors; `headwater.lexical.bm25.term_id` computes the same.
CREATE FUNCTION term_id(lexeme text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ((('x' || left(md5(lexeme), 8))::bit(32)::bigint & 536870911) + 1)::integer
$$;

-- The keyword data of an entry, separate from its vector, so that weighing an index again does not touch HNSW. `weights`
-- are BM25's saturated term frequencies; `terms` are their numbers, each XORed with the index's `term_scope`, so that
-- indexes in the same table do not find each other's entries. Rows stay inline: a search reads thousands of them.
CREATE TABLE search_weights (
    shard           bigint NOT NULL,
    search_index_id bigint NOT NULL,
    target_id       uuid NOT NULL,
    document_id     uuid NOT NULL,
    source_id       bigint NOT NULL,
    length          integer NOT NULL,  -- words; those of title and headings count with their boost
    terms           integer[] NOT NULL,
    weights         sparsevec NOT NULL,
    kind            text NOT NULL
) PARTITION BY LIST (kind);
CREATE TABLE search_weights_chunk PARTITION OF search_weights
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('chunk') PARTITION BY LIST (shard);
CREATE TABLE search_weights_chunk_shared PARTITION OF search_weights_chunk
    FOR VALUES IN (0) WITH (toast_tuple_target = 8160);
CREATE TABLE search_weights_document PARTITION OF search_weights
    (PRIMARY KEY (shard, search_index_id, target_id)) FOR VALUES IN ('document') WITH (toast_tuple_target = 8160);
CREATE INDEX search_weights_by_document ON search_weights (document_id, search_index_id);
CREATE INDEX search_weights_by_source ON search_weights (source_id, search_index_id);
CREATE INDEX search_weights_by_terms ON search_weights USING gin (terms);

-- For each index and kind of entry: how many entries have weights, their total length, and the average length for which the
-- weights were made. `languages` are its stemming languages besides its own: a question is stemmed in all of them.
CREATE TABLE search_statistics (
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    entry_count     bigint NOT NULL,
    length_sum      bigint NOT NULL,
    weighed_length  double precision NOT NULL,
    languages       text[] NOT NULL DEFAULT '{}',
    is_complete     boolean NOT NULL DEFAULT false,  -- every entry has weights, and new ones get them
    kind            text NOT NULL,
    PRIMARY KEY (search_index_id, kind)
);

-- How many entries of an index contain each term.
CREATE TABLE search_terms (
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    term_id         integer NOT NULL,
    entry_count     integer NOT NULL,
    kind            text NOT NULL,
    PRIMARY KEY (search_index_id, kind, term_id)
) WITH (fillfactor = 50);

-- A document's breadcrumb as the target of an entry.
CREATE FUNCTION heading_id(document_id uuid, text_hash bytea) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT md5(uuid_send(document_id) || text_hash)::uuid
$$;

-- The entries that a version contributes to an index, for some chunk settings: each target with the text to embed (`prose`,
-- below its breadcrumb) and the text for its words. A target may occur more than once; without a hash, there is
-- nothing to embed.
CREATE VIEW version_entries AS
SELECT 'chunk'::text AS kind, vc.version_id, vc.settings_hash, vc.chunk_id AS target_id, vc.embedding_hash, vc.breadcrumb,
       (SELECT coalesce(c.prose, c.text) FROM chunks c WHERE c.id = vc.chunk_id) AS prose,
       (SELECT c.text FROM chunks c WHERE c.id = vc.chunk_id) AS text
  FROM version_chunks vc
 UNION ALL
SELECT 'heading', vc.version_id, vc.settings_hash,
       heading_id((SELECT v.document_id FROM document_versions v WHERE v.id = vc.version_id), vc.heading_hash),
       vc.heading_hash, vc.breadcrumb, '', ''
  FROM version_chunks vc;

-- The version of a document that each index serves, and so what readers see.
CREATE TABLE published_documents (
    search_index_id bigint NOT NULL REFERENCES search_indexes ON DELETE CASCADE,
    document_id     uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    version_id      uuid NOT NULL,
    run_id          text NOT NULL,
    published_at    timestamptz NOT NULL DEFAULT now(),
    language        text,  -- stemming language of its entries; NULL from an older release: the index's language
    PRIMARY KEY (search_index_id, document_id)
);
CREATE INDEX published_documents_by_document ON published_documents (document_id);

-- A series of questions, each understood with those before it on its branch.
CREATE TABLE conversations (
    id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    owner             text,  -- the id of the key that began it; NULL without one
    title             text NOT NULL,  -- empty until the first question
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),  -- when it was asked last, or renamed
    share_token       text UNIQUE,  -- who has it may read the conversation; NULL if it is not shared
    pinned_at         timestamptz  -- since when it stays at the top of the list
);
CREATE INDEX conversations_by_time ON conversations (knowledge_base_id, updated_at DESC, id DESC);
CREATE INDEX conversations_by_owner ON conversations (knowledge_base_id, owner, updated_at DESC, id DESC);

-- An answer of a conversation is a turn of it; the turns are a tree.
CREATE TABLE answers (
    id                uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    question          text NOT NULL,
    answer            text NOT NULL,
    is_refused        boolean NOT NULL,
    reason            text,
    passages          jsonb NOT NULL,
    model             text NOT NULL,
    embedding_model   text NOT NULL,
    usage             jsonb NOT NULL,
    timings_ms        jsonb NOT NULL,
    stale_at          timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    as_of             timestamptz,  -- the past time of the question
    notes             text[] NOT NULL DEFAULT '{}',  -- what a reader must know to interpret it
    state             text NOT NULL DEFAULT 'done'
        CHECK (state IN ('generating', 'done', 'cancelled', 'interrupted', 'failed')),
    saved_at          timestamptz,  -- when its text so far was saved; while it is generating, a sign of life
    error_code        text,  -- why it failed
    error_detail      text,
    title             text NOT NULL DEFAULT '',  -- the question, corrected and short
    slug              text NOT NULL DEFAULT '',
    description       text NOT NULL DEFAULT '',
    intent            text NOT NULL DEFAULT '',
    prompt_version    text,  -- of the prompt that made it; NULL without a model
    source_revisions  jsonb,  -- the revision of each source, by id, before the search for it
    asked_sources     text[],  -- the slugs in its filter; NULL means all sources
    request_hash      bytea,  -- of the question and all that decides the answer; NULL if it is not served again
    options_hash      bytea,  -- the same without the question
    question_vector   halfvec,  -- of the question, by `embedding_model`
    search_text       text NOT NULL DEFAULT '',  -- the question as it was searched for: a follow-up with what it is about
    conversation_id   uuid REFERENCES conversations ON DELETE CASCADE,
    parent_id         uuid,  -- the turn that it follows
    statements        jsonb NOT NULL DEFAULT '[]',  -- of a chat model's reply: text, whether a source supports it, markers
    further           jsonb NOT NULL DEFAULT '[]',  -- passages that it does not cite: where they are, and a line of each
    quote_marker      text NOT NULL DEFAULT '',  -- of the quote beneath a chat model's reply
    degraded          text,  -- why a quote stands in for the model; NULL if it does not
    asked_by          text,  -- the id of the key that asked, which may end it; NULL without one, and once it has ended
    readings          text[] NOT NULL DEFAULT '{}',  -- the questions that it may mean, if it asks which
    CONSTRAINT answers_of_conversation UNIQUE (conversation_id, id),
    CONSTRAINT answers_parent_fkey FOREIGN KEY (conversation_id, parent_id)
        REFERENCES answers (conversation_id, id) ON DELETE SET NULL (parent_id)
);
CREATE INDEX answers_by_knowledge_base ON answers (knowledge_base_id, created_at);
CREATE INDEX answers_by_request ON answers (knowledge_base_id, request_hash, created_at DESC) WHERE request_hash IS NOT NULL;
CREATE INDEX answers_by_options ON answers (knowledge_base_id, options_hash, created_at DESC) WHERE options_hash IS NOT NULL;
CREATE INDEX answers_generating ON answers (saved_at) WHERE state = 'generating';
CREATE INDEX answers_by_parent ON answers (conversation_id, parent_id) WHERE parent_id IS NOT NULL;

-- What a reader thinks of an answer.
CREATE TABLE feedback (
    answer_id  uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    owner      text,  -- NULL: an answer has one vote, of all who may read it
    vote       text NOT NULL CHECK (vote IN ('up', 'down')),
    comment    text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),  -- of the last vote
    UNIQUE NULLS NOT DISTINCT (answer_id, owner)
);
CREATE INDEX feedback_by_time ON feedback (created_at);

-- Grows in the transaction that publishes new or changed documents of a source into the active index, and with a change of
-- its tags or category. A table of its own, because a sync holds share locks on the source's row.
CREATE TABLE source_revisions (
    source_id  bigint PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    revision   bigint NOT NULL,
    revised_at timestamptz NOT NULL DEFAULT now()
);

-- A citation has its own copy of its lineage, so that it can be traced after its source was deleted.
CREATE TABLE citations (
    answer_id           uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    marker              text NOT NULL,
    position            integer NOT NULL,
    source_id           bigint NOT NULL,
    source              text NOT NULL,
    uri                 text NOT NULL,
    title               text NOT NULL,
    breadcrumb          text[] NOT NULL,
    chunk_id            uuid NOT NULL,
    document_id         uuid NOT NULL,
    document_version_id uuid NOT NULL,
    start_offset        integer NOT NULL,
    end_offset          integer NOT NULL,
    score               double precision NOT NULL,
    fetched_at          timestamptz NOT NULL,
    run_id              text NOT NULL,
    code_version        text NOT NULL,
    embedding_model     text NOT NULL,
    place               jsonb,  -- of its quotes in the original; NULL if unknown
    node_id             uuid,  -- of the summary that its marker stands behind; NULL for a quote
    trust               double precision,  -- of the passage; NULL if unknown, or if it is a document below a summary
    PRIMARY KEY (answer_id, position)
);
CREATE INDEX citations_by_source ON citations (source_id);
CREATE INDEX citations_by_version ON citations (document_version_id);

-- A marker of an answer that stands behind a summary, with a copy of the summary and of its lineage. Its documents are
-- in `citations`, under the same marker.
CREATE TABLE summary_citations (
    answer_id      uuid NOT NULL REFERENCES answers ON DELETE CASCADE,
    position       integer NOT NULL,
    marker         text NOT NULL,
    node_id        uuid NOT NULL,
    summary_key    bytea NOT NULL,
    kind           text NOT NULL,  -- of the node
    title          text NOT NULL,
    text           text NOT NULL,
    document_count integer NOT NULL,  -- documents below it; not all of them are cited
    model          text NOT NULL,
    prompt_version text NOT NULL,
    run_id         text NOT NULL,
    code_version   text NOT NULL,
    made_at        timestamptz NOT NULL,
    PRIMARY KEY (answer_id, position)
);

-- The rows removed with a deleted source or knowledge base, by table; kept after everything else is removed.
CREATE TABLE deletions (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('source', 'knowledge_base')),
    key           text NOT NULL,  -- slug, or slug/slug
    removed       jsonb NOT NULL DEFAULT '{}',  -- rows by table
    requested_at  timestamptz NOT NULL DEFAULT now(),
    finished_at   timestamptz,  -- when its rows were removed
    row_id        bigint NOT NULL,  -- the id it had
    files_removed integer NOT NULL DEFAULT 0  -- its files outside the database
);
CREATE INDEX deletions_unfinished ON deletions (id) WHERE finished_at IS NULL;

-- The periods in which readers saw each version of a document; closed ones answer `as of` a past time.
CREATE TABLE publications (
    document_id  uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    version_id   uuid NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    withdrawn_at timestamptz,
    PRIMARY KEY (version_id, published_at)
);
CREATE UNIQUE INDEX publications_open ON publications (document_id) WHERE withdrawn_at IS NULL;
CREATE INDEX publications_by_document ON publications (document_id);

-- Questions with the documents that answer them.
CREATE TABLE golden_questions (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    question          text NOT NULL,
    relevant          jsonb NOT NULL,  -- [{"uri", "page"?, "quote"?}]
    created_at        timestamptz NOT NULL DEFAULT now(),
    answer            text,
    is_unanswerable   boolean NOT NULL DEFAULT false,
    origin            text NOT NULL DEFAULT 'file' CHECK (origin IN ('file', 'added', 'generated', 'promoted')),
    answer_id         uuid,  -- the answer that it was promoted from, which may be deleted since
    UNIQUE (knowledge_base_id, question)
);

CREATE INDEX golden_questions_by_answer ON golden_questions (answer_id) WHERE answer_id IS NOT NULL;

-- The results of a golden set on an index at a time.
CREATE TABLE evaluations (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    search_index_id   bigint NOT NULL,
    model             text NOT NULL,
    golden_hash       bytea NOT NULL,
    index_digest      text NOT NULL,  -- state of the knowledge base that was searched
    question_count    integer NOT NULL,
    metrics           jsonb NOT NULL,
    run_id            text,
    created_at        timestamptz NOT NULL DEFAULT now(),
    counts            jsonb NOT NULL DEFAULT '{}',  -- how many questions each metric is the mean of
    answer_model      text,
    judge_model       text,
    judge_prompt      text
);
CREATE INDEX evaluations_by_knowledge_base ON evaluations (knowledge_base_id, created_at);

-- This database's id in the store of originals; no row before the first original, and after a restore.
CREATE TABLE originals_owner (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id      uuid NOT NULL DEFAULT gen_random_uuid()
);

-- The first response to a request with an Idempotency-Key, which a repeat of the request gets too. `scope` is the method
-- and the route. Deleting the knowledge base, or a source of it, deletes the responses that came from it.
CREATE TABLE kept_responses (
    scope             text NOT NULL,
    key               text NOT NULL,
    request_hash      bytea NOT NULL,
    knowledge_base_id bigint REFERENCES knowledge_bases ON DELETE CASCADE,
    status            integer NOT NULL,
    headers           jsonb NOT NULL,
    body              bytea NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, key)
);
CREATE INDEX kept_responses_by_time ON kept_responses (created_at);
CREATE INDEX kept_responses_by_knowledge_base ON kept_responses (knowledge_base_id);

-- A summary is (texts under it, title, prompt, model, length): the same is never paid for twice.
CREATE TABLE summaries (
    key               bytea PRIMARY KEY,
    text              text NOT NULL,
    model             text NOT NULL,
    prompt_version    text NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    cost_usd          double precision,  -- NULL if the price is not known
    source_id         bigint,  -- that it was made for first, which may be deleted since
    run_id            text NOT NULL,
    code_version      text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    knowledge_base_id bigint,  -- that it was made for, above its sources
    embedding_hash    bytea NOT NULL  -- of the text, under which its vector is stored
);
CREATE INDEX summaries_by_source ON summaries (source_id);
CREATE INDEX summaries_by_run ON summaries (run_id);
CREATE INDEX summaries_by_knowledge_base ON summaries (knowledge_base_id) WHERE knowledge_base_id IS NOT NULL;
CREATE INDEX summaries_by_embedding ON summaries (embedding_hash);

-- The tree of each source, and above them that of each knowledge base. A node's id stays the same while its text changes.
CREATE TABLE summary_tree (
    id          uuid PRIMARY KEY,
    source_id   bigint REFERENCES sources ON DELETE CASCADE,
    kind        text NOT NULL,
    identity    bytea NOT NULL,
    summary_key bytea NOT NULL REFERENCES summaries,
    parent_id   uuid,  -- NULL for the root, and for a source that no tree of its knowledge base has yet
    position    integer NOT NULL,
    document_id uuid REFERENCES documents ON DELETE CASCADE,  -- of a document's nodes
    chunk_ids   uuid[] NOT NULL DEFAULT '{}',
    knowledge_base_id bigint REFERENCES knowledge_bases ON DELETE CASCADE,  -- of a node above sources
    CONSTRAINT summary_tree_owner CHECK (num_nonnulls(source_id, knowledge_base_id) = 1)
);
CREATE INDEX summary_tree_by_knowledge_base ON summary_tree (knowledge_base_id) WHERE knowledge_base_id IS NOT NULL;
CREATE INDEX summary_tree_by_source ON summary_tree (source_id);
CREATE INDEX summary_tree_by_parent ON summary_tree (parent_id, position);
CREATE INDEX summary_tree_by_document ON summary_tree (document_id);
CREATE INDEX summary_tree_by_summary ON summary_tree (summary_key);

-- What the tree of a document was made of.
CREATE TABLE summarized_documents (
    document_id   uuid PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    version_id    uuid NOT NULL,
    settings_hash bytea NOT NULL,
    recipe_hash   bytea NOT NULL
);

-- The summary of a chunk is stored as all summaries are; the same text in another chunk has the same one.
CREATE TABLE chunk_summaries (
    chunk_id    uuid PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    source_id   bigint NOT NULL,  -- that the chunk is of
    summary_key bytea NOT NULL REFERENCES summaries,
    recipe_hash bytea NOT NULL  -- how it was made
);
CREATE INDEX chunk_summaries_by_source ON chunk_summaries (source_id);
CREATE INDEX chunk_summaries_by_summary ON chunk_summaries (summary_key);

-- What readers see beside a chunk. A chunk without a sentence that could stand for it has an empty summary, which is not
-- shown.
CREATE VIEW chunk_sentences AS
SELECT c.chunk_id, s.text FROM chunk_summaries c JOIN summaries s ON s.key = c.summary_key WHERE s.text <> '';

-- What the tree of a knowledge base was made of: the summaries of its sources, and how.
CREATE TABLE summarized_knowledge_bases (
    knowledge_base_id bigint PRIMARY KEY REFERENCES knowledge_bases ON DELETE CASCADE,
    inputs            bytea NOT NULL
);

-- What syncs paid models for, by day (UTC): it stays when what was made is deleted.
CREATE TABLE sync_spending (
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    source_id         bigint NOT NULL,  -- 0 for what belongs to the whole knowledge base; the source may be deleted since
    day               date NOT NULL,
    kind              text NOT NULL,
    model             text NOT NULL,
    made_count        integer NOT NULL,
    prompt_tokens     bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    cost_usd          double precision,  -- NULL if the price of any is not known
    PRIMARY KEY (knowledge_base_id, source_id, day, kind, model)
);
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
    source_id    bigint NOT NULL,  -- of the document
    PRIMARY KEY (version_id, position)
);
-- It finds a name, and in order of the documents a definition: among thousands of the same name, and of the same symbol.
CREATE INDEX links_by_symbol ON links (name, kind, family, source_id, md5(targets[1]), document_id, start_offset)
 WHERE kind <> 'references';
CREATE INDEX links_by_uri ON links USING gin (targets) WHERE kind = 'references';

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
-- The entries that a source's tree contributes to every index of its knowledge base: of each document one. Nodes above
-- sources are found by their place, and so are summaries that no model made.
CREATE VIEW tree_entries AS
SELECT n.id AS target_id, n.source_id, n.document_id, n.summary_key, s.embedding_hash
  FROM summary_tree n JOIN summaries s ON s.key = n.summary_key
 WHERE n.source_id IS NOT NULL AND (n.document_id IS NULL OR n.kind = 'document') AND s.model <> 'builtin/extractive';
-- A key of the API. Its secret is stored as a hash. After a rotation the old secret is valid until `old_secret_until`.
CREATE TABLE api_keys (
    id               text PRIMARY KEY CHECK (id ~ '^[a-z0-9]{8}$'),
    secret_hash      bytea NOT NULL,
    old_secret_hash  bytea,
    old_secret_until timestamptz,
    name             text NOT NULL,
    scope            text NOT NULL CHECK (scope IN ('read', 'bot', 'write', 'admin')),
    is_limited       boolean NOT NULL,  -- to the knowledge bases in api_key_knowledge_bases, even if none is left
    created_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz,
    last_used_at     timestamptz,  -- to the minute
    revoked_at       timestamptz
);
CREATE TABLE api_key_knowledge_bases (
    key_id            text NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    PRIMARY KEY (key_id, knowledge_base_id)
);
CREATE INDEX api_key_knowledge_bases_by_knowledge_base ON api_key_knowledge_bases (knowledge_base_id);

-- A browser that logged in. `secret_hash` is that of the secret it logged in with: once that is not valid any more, neither
-- is the session. Without one, it logged in by a link of the command line, and is an administrator's.
CREATE TABLE sessions (
    token_hash  bytea PRIMARY KEY,  -- of the cookie
    id          text NOT NULL,
    key_id      text REFERENCES api_keys ON DELETE CASCADE,  -- NULL also for the key in the environment
    secret_hash bytea,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX sessions_by_key ON sessions (key_id) WHERE key_id IS NOT NULL;
CREATE TABLE login_links (
    token_hash bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);

-- Rate limits (GCRA): the theoretical arrival time of the next request of each bucket. A crash may empty both tables.
CREATE UNLOGGED TABLE rate_limits (
    bucket text PRIMARY KEY,
    tat    timestamptz NOT NULL
);
-- The secret that addresses are hashed with on a day (UTC).
CREATE UNLOGGED TABLE address_salts (
    day  date PRIMARY KEY,
    salt bytea NOT NULL
);

-- Who changed what, and when. `anyone` is a request without a key while none is needed.
CREATE TABLE audit_entries (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamptz NOT NULL DEFAULT now(),
    actor_kind  text NOT NULL CHECK (actor_kind IN ('key', 'session', 'command_line', 'anyone', 'process')),
    actor_id    text NOT NULL,
    key_id      text,  -- that a session was opened with; no reference, because entries outlive keys
    action      text NOT NULL,
    target      text NOT NULL,
    details     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_entries_by_time ON audit_entries (happened_at);
-- The channels in which bots answer.
CREATE TABLE bot_channels (
    platform          text NOT NULL CHECK (platform IN ('slack', 'discord')),
    workspace         text NOT NULL,  -- Slack's workspace, Discord's server
    channel           text NOT NULL,  -- `*` for every channel that has no row of its own
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    mode              text NOT NULL CHECK (mode IN ('mention', 'every_message')),
    is_on             boolean NOT NULL,
    configured_at     timestamptz NOT NULL DEFAULT now(),  -- when it was last changed
    PRIMARY KEY (platform, workspace, channel)
);
CREATE INDEX bot_channels_by_knowledge_base ON bot_channels (knowledge_base_id);

-- A message gets one row, and so one answer, however often its event is sent. `messages` are the bot's own, by which a
-- bot that was restarted continues them.
CREATE TABLE bot_events (
    platform          text NOT NULL CHECK (platform IN ('slack', 'discord')),
    id                text NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('question', 'test')),
    workspace         text NOT NULL,
    channel           text NOT NULL,
    thread            text NOT NULL,
    message           text NOT NULL,  -- empty for a test message
    knowledge_base_id bigint REFERENCES knowledge_bases ON DELETE CASCADE,  -- NULL if the channel has none
    question          text NOT NULL,  -- empty once it is no longer open
    answer_id         uuid,  -- its row may come later, or be deleted
    messages          text[] NOT NULL DEFAULT '{}',
    state             text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed')),
    error_code        text,
    holder            uuid,  -- the bot process that answers it; NULL until one does
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (platform, id)
);
CREATE INDEX bot_events_open ON bot_events (platform) WHERE state = 'open';
CREATE INDEX bot_events_by_thread ON bot_events (platform, workspace, channel, thread);
CREATE INDEX bot_events_by_time ON bot_events (created_at);
CREATE INDEX bot_events_by_knowledge_base ON bot_events (knowledge_base_id);

-- The widgets of web sites.
CREATE TABLE widgets (
    id                text PRIMARY KEY,  -- public: it is in the pages of the sites
    knowledge_base_id bigint NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    slug              text NOT NULL,
    settings          jsonb NOT NULL,
    secret            bytea NOT NULL,  -- signs the tokens of its visitors
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (knowledge_base_id, slug)
);

-- A row is the budget of a day: a question is counted before its answer begins, its cost once the answer has ended.
CREATE TABLE widget_days (
    widget_id text NOT NULL REFERENCES widgets ON DELETE CASCADE,
    day       date NOT NULL,  -- UTC
    questions integer NOT NULL,
    cost      double precision NOT NULL DEFAULT 0,  -- US dollars
    PRIMARY KEY (widget_id, day)
);

-- Only the visitor who asked a question reads its answer, votes on it, and asks further.
CREATE TABLE widget_questions (
    id        uuid PRIMARY KEY,  -- of the answer that was begun for it
    widget_id text NOT NULL REFERENCES widgets ON DELETE CASCADE,
    visitor   text NOT NULL,
    follows   uuid,  -- the visitor's question before it
    answer_id uuid NOT NULL,  -- another answer than its own if that was served from the store; its row may come later
    day       date NOT NULL,
    asked_at  timestamptz NOT NULL DEFAULT now(),
    cost      double precision,  -- US dollars; NULL until it is added to the day
    vote      text CHECK (vote IN ('up', 'down')),
    voted_at  timestamptz
);
CREATE INDEX widget_questions_by_widget ON widget_questions (widget_id, asked_at);
CREATE INDEX widget_questions_without_cost ON widget_questions (widget_id) WHERE cost IS NULL;
CREATE INDEX widget_questions_by_time ON widget_questions (asked_at);

-- The questions that were made of a text, by the hash of (text, title, prompt, model, number): the same are never paid for
-- twice. Their number may be 0.
CREATE TABLE question_sets (
    key               bytea PRIMARY KEY,
    questions         text[] NOT NULL,
    model             text NOT NULL,
    prompt_version    text NOT NULL,
    prompt_tokens     integer NOT NULL,
    completion_tokens integer NOT NULL,
    cost_usd          double precision,  -- NULL if the price is not known
    source_id         bigint NOT NULL,  -- that it was made for first, which may be deleted since
    run_id            text NOT NULL,
    code_version      text NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX question_sets_by_source ON question_sets (source_id);
CREATE INDEX question_sets_by_run ON question_sets (run_id);

-- The questions of each document, and of each source as a whole: then `document_id` is NULL.
CREATE TABLE questions (
    id          uuid PRIMARY KEY,
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    document_id uuid REFERENCES documents ON DELETE CASCADE,
    position    integer NOT NULL,
    question    text NOT NULL,
    set_key     bytea NOT NULL REFERENCES question_sets
);
CREATE INDEX questions_by_source ON questions (source_id, position, md5(id::text));
CREATE INDEX questions_by_document ON questions (document_id);
CREATE INDEX questions_by_set ON questions (set_key);

-- What the questions of a document were made of.
CREATE TABLE questioned_documents (
    document_id   uuid PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    version_id    uuid NOT NULL,
    settings_hash bytea NOT NULL,
    recipe_hash   bytea NOT NULL,
    summary_key   bytea  -- NULL if they were made of the document's own text
);

-- Each question that was checked against a search index. Readers are offered those that are `kept`; the others were not
-- found, are in no trusted passage, or say the same as the question `same_as`. `words` begins with a blank and is the
-- question without what makes no difference.
CREATE TABLE suggestions (
    question_id     uuid PRIMARY KEY REFERENCES questions ON DELETE CASCADE,
    search_index_id bigint NOT NULL,  -- which may be gone: then it has to be checked again
    version_id      uuid,  -- of the document, when it was checked
    state           text NOT NULL CHECK (state IN ('kept', 'not_found', 'same')),
    same_as         uuid,
    words           text NOT NULL,
    embedding_hash  bytea NOT NULL,
    vector          halfvec NOT NULL,
    run_id          text NOT NULL,
    code_version    text NOT NULL,
    checked_at      timestamptz NOT NULL DEFAULT now(),
    source_id       bigint NOT NULL  -- of the question
);
CREATE INDEX suggestions_by_index ON suggestions (search_index_id, state);
CREATE INDEX suggestions_by_embedding ON suggestions (embedding_hash);
-- Both are cut, since an index holds no word of more than 2,046 bytes, and signs may have made a question longer.
CREATE INDEX suggestions_by_beginning ON suggestions (source_id, left(words, 200) COLLATE "C") WHERE state = 'kept';
-- The source is a word among the others; it begins with a blank, so it is none of the question.
CREATE INDEX suggestions_by_words ON suggestions USING gin (
    array_to_tsvector(array_append(array_remove(string_to_array(left(words, 400), ' '), ''), ' ' || source_id::text)))
 WITH (fastupdate = off) WHERE state = 'kept';

-- What readers are offered now: questions that were kept, of sources that are not being deleted and of documents that they
-- see. A vector that another index's model made is left out.
CREATE VIEW offered_questions AS
SELECT q.id, q.question, q.position, s.knowledge_base_id, q.source_id, s.slug AS source, q.document_id, d.uri,
       coalesce(nullif(v.title, ''), d.uri, s.slug) AS title, g.words, i.model,
       CASE WHEN g.search_index_id = i.id THEN g.vector END AS vector
  FROM suggestions g JOIN questions q ON q.id = g.question_id
       JOIN sources s ON s.id = q.source_id AND s.state <> 'deleting'
       JOIN search_indexes i ON i.knowledge_base_id = s.knowledge_base_id AND i.state = 'active'
       LEFT JOIN published_documents p ON p.search_index_id = i.id AND p.document_id = q.document_id
       LEFT JOIN documents d ON d.id = q.document_id
       LEFT JOIN document_versions v ON v.id = p.version_id
 WHERE g.state = 'kept' AND (q.document_id IS NULL OR p.version_id IS NOT NULL);

-- The answers that were made before anybody asked.
CREATE TABLE answers_ahead (
    answer_id    uuid PRIMARY KEY REFERENCES answers ON DELETE CASCADE,
    run_id       text NOT NULL,
    code_version text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- Whether an answer no longer holds: a source that it cites was deleted; or since the search for it, a source that its
-- filter selects published new or changed documents, or readers no longer see a version that it cites. The last two do not
-- apply to an answer as of a past time, nor to one from a release that did not keep revisions.
CREATE FUNCTION answer_is_stale(answer_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT a.stale_at IS NOT NULL OR a.source_revisions IS NOT NULL AND (
           EXISTS (SELECT FROM sources s JOIN source_revisions r ON r.source_id = s.id
                    WHERE s.knowledge_base_id = a.knowledge_base_id AND s.state <> 'deleting'
                      AND (a.asked_sources IS NULL OR s.slug = ANY(a.asked_sources))
                      AND r.revision > coalesce((a.source_revisions ->> s.id::text)::bigint, 0))
           OR EXISTS (SELECT FROM citations c
                       WHERE c.answer_id = a.id
                         AND NOT EXISTS (SELECT FROM publications u
                                          WHERE u.version_id = c.document_version_id AND u.withdrawn_at IS NULL))
           OR EXISTS (SELECT FROM summary_citations c
                       WHERE c.answer_id = a.id
                         AND NOT EXISTS (SELECT FROM summary_tree n
                                          WHERE n.id = c.node_id AND n.summary_key = c.summary_key)))
      FROM answers a WHERE a.id = answer_is_stale.answer_id
$$;
