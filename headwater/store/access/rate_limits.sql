-- name: take_from_bucket
-- Count a request (GCRA): `step` is its cost in time, `period` the time in which the whole limit may be used. No row: refused.
INSERT INTO rate_limits AS r (bucket, tat) VALUES (%(bucket)s, clock_timestamp() + %(step)s)
ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, clock_timestamp()) + %(step)s
 WHERE greatest(r.tat, clock_timestamp()) + %(step)s <= clock_timestamp() + %(period)s
RETURNING tat;

-- name: wait_for_bucket
-- After how many seconds a refused request would be counted.
SELECT extract(epoch FROM greatest(r.tat, clock_timestamp()) + %(step)s - %(period)s - clock_timestamp())::float8 AS seconds
  FROM rate_limits r WHERE r.bucket = %(bucket)s;

-- name: salt_of_day
-- The secret that addresses are hashed with on a day; the first caller of the day makes it.
INSERT INTO address_salts (day, salt) VALUES (%(day)s, %(salt)s)
ON CONFLICT (day) DO UPDATE SET day = excluded.day
RETURNING salt;

-- name: delete_old_buckets
-- Forget buckets that are full again, and the salts of past days: nobody can hash their addresses again.
WITH salts AS (DELETE FROM address_salts WHERE day < current_date - 1) DELETE FROM rate_limits WHERE tat < now();
