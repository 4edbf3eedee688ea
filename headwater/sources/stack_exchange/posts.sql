-- name: create
-- The table of posts. `parent` is 0 for a question, `accepted` is 0 if no answer is accepted; `start` and `size` say
-- where the row is in the dump. It is scratch: a sync that breaks off begins with a new one.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16000;
PRAGMA temp_store = FILE;
CREATE TABLE posts (
    id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, accepted INTEGER NOT NULL, score INTEGER NOT NULL,
    start INTEGER NOT NULL, size INTEGER NOT NULL, hash BLOB NOT NULL
);

-- name: add
-- Add a post, unless there is one with its id.
INSERT INTO posts (id, parent, accepted, score, start, size, hash)
VALUES (:id, :parent, :accepted, :score, :start, :size, :hash) ON CONFLICT DO NOTHING;

-- name: index
-- Made once all posts are there, which is faster than beside them.
CREATE INDEX posts_parent ON posts (parent, id);

-- name: chosen
-- Each question with its accepted answer, then those that score higher, the highest first. If none is accepted, those
-- that score above zero.
SELECT q.id AS question, a.id AS answer, q.start AS question_start, q.size AS question_size, q.hash AS question_hash,
       a.start, a.size, a.hash
  FROM posts q CROSS JOIN posts a ON a.parent = q.id LEFT JOIN posts b ON b.id = q.accepted AND b.parent = q.id
 WHERE q.parent = 0 AND (a.id = q.accepted OR a.score > coalesce(b.score, 0))
 ORDER BY q.id, a.id <> q.accepted, a.score DESC, a.id;

-- name: unanswered
-- Questions that `chosen` leaves out.
SELECT q.id FROM posts q
 WHERE q.parent = 0 AND NOT EXISTS (
       SELECT 1 FROM posts a LEFT JOIN posts b ON b.id = q.accepted AND b.parent = q.id
        WHERE a.parent = q.id AND (a.id = q.accepted OR a.score > coalesce(b.score, 0)))
 ORDER BY q.id;

-- name: orphans
-- Answers whose question is not in the dump.
SELECT a.id FROM posts a LEFT JOIN posts q ON q.id = a.parent AND q.parent = 0
 WHERE a.parent <> 0 AND q.id IS NULL ORDER BY a.id;

-- name: count_questions
-- How many questions there are.
SELECT count(*) FROM posts WHERE parent = 0;
