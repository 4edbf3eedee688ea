-- How far the passage of a citation was trusted: the score of a model's citation says how much of a statement it holds.
ALTER TABLE citations ADD COLUMN trust double precision;
UPDATE citations c
   SET trust = (SELECT (p.value -> 'scores' ->> 'trust')::float8
                  FROM answers a,
                       jsonb_array_elements(CASE jsonb_typeof(a.passages) WHEN 'array' THEN a.passages ELSE '[]' END) p
                 WHERE a.id = c.answer_id AND p.value ->> 'chunk_id' = c.chunk_id::text LIMIT 1)
 WHERE node_id IS NULL;
