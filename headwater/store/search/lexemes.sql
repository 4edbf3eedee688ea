-- name: lexemes
-- The stems of some words in a language's dictionary; stop words have none.
SELECT w.word, (ts_lexize(%(dictionary)s::regdictionary, w.word))[1] AS lexeme FROM unnest(%(words)s::text[]) AS w (word);
