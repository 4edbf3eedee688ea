-- Languages: each document has its own, and is stemmed by it.

-- What the text itself tells, where the document says nothing: NULL until it was looked at, empty when nothing is sure.
ALTER TABLE document_versions ADD COLUMN detected_language text;

-- A document's language: what it says of itself, else what its text tells; empty when nobody knows.
CREATE FUNCTION document_language(declared text, detected text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(nullif(btrim(declared), ''), detected, '')
$$;

-- Which dictionary stems a text; `headwater.languages.stemming_language` says the same.
CREATE FUNCTION stemming_language(tag text, fallback text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN tag = '' OR fallback = 'simple' THEN fallback ELSE coalesce(
        '{"ar": "arabic", "arabic": "arabic", "armenian": "armenian", "basque": "basque", "ca": "catalan",
          "catalan": "catalan", "da": "danish", "danish": "danish", "de": "german", "dutch": "dutch", "el": "greek",
          "en": "english", "english": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "finnish": "finnish",
          "fr": "french", "french": "french", "ga": "irish", "german": "german", "greek": "greek", "hi": "hindi",
          "hindi": "hindi", "hu": "hungarian", "hungarian": "hungarian", "hy": "armenian", "id": "indonesian",
          "in": "indonesian", "indonesian": "indonesian", "irish": "irish", "it": "italian", "italian": "italian",
          "ji": "yiddish", "lithuanian": "lithuanian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
          "nepali": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "norwegian": "norwegian",
          "portuguese": "portuguese", "pt": "portuguese", "ro": "romanian", "romanian": "romanian", "ru": "russian",
          "russian": "russian", "serbian": "serbian", "spanish": "spanish", "sr": "serbian", "sv": "swedish",
          "swedish": "swedish", "ta": "tamil", "tamil": "tamil", "tr": "turkish", "turkish": "turkish", "yi": "yiddish",
          "yiddish": "yiddish"}'::jsonb
            ->> split_part(replace(lower(btrim(tag)), '_', '-'), '-', 1),
        CASE WHEN lower(btrim(tag)) ~ '^(?!und|mul|mis|zxx)[a-z]{2,3}([-_]|$)' THEN 'simple' ELSE fallback END) END
$$;

-- What an index stemmed a document's entries by; NULL of what an older release published: the index's own language.
ALTER TABLE published_documents ADD COLUMN language text;

-- The languages, beside its own, that an index stemmed entries by: a question is stemmed by all of them.
ALTER TABLE search_statistics ADD COLUMN languages text[] NOT NULL DEFAULT '{}';
