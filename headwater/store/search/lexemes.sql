-- name: lexemes
-- What a language's dictionary makes of some words: their stems, and nothing of stop words.
SELECT w.word, (ts_lexize(%(dictionary)s::regdictionary, w.word))[1] AS lexeme FROM unnest(%(words)s::text[]) AS w (word);
