-- name: list_bot_channels
-- Every configured channel whose knowledge base exists.
SELECT c.*, k.slug AS knowledge_base FROM bot_channels c JOIN knowledge_bases k ON k.id = c.knowledge_base_id
 WHERE k.deleted_at IS NULL ORDER BY c.platform, c.workspace, c.channel;

-- name: list_bot_channel_states
-- Every configured channel with its last event, and how many of the last seven days failed; a row for every channel of a
-- workspace has those of channels without a row of their own.
SELECT c.*, k.slug AS knowledge_base, l.created_at AS last_event_at, l.state AS last_state,
       l.error_code AS last_error_code, f.failed_count
  FROM bot_channels c JOIN knowledge_bases k ON k.id = c.knowledge_base_id
       LEFT JOIN LATERAL (
         SELECT e.created_at, e.state, e.error_code FROM bot_events e
          WHERE (e.platform, e.workspace) = (c.platform, c.workspace) AND (e.channel = c.channel OR c.channel = '*'
                AND NOT EXISTS (SELECT FROM bot_channels o WHERE (o.platform, o.workspace, o.channel) =
                                                                 (e.platform, e.workspace, e.channel)))
          ORDER BY e.created_at DESC LIMIT 1) AS l ON true
       CROSS JOIN LATERAL (
         SELECT count(*) AS failed_count FROM bot_events e
          WHERE (e.platform, e.workspace) = (c.platform, c.workspace) AND (e.channel = c.channel OR c.channel = '*'
                AND NOT EXISTS (SELECT FROM bot_channels o WHERE (o.platform, o.workspace, o.channel) =
                                                                 (e.platform, e.workspace, e.channel)))
            AND e.state = 'failed' AND e.created_at > now() - interval '7 days') AS f
 WHERE k.deleted_at IS NULL ORDER BY c.platform, c.workspace, c.channel;

-- name: list_unknown_bot_channels
-- Channels where a bot was mentioned in the last seven days, though they have no knowledge base, newest first.
SELECT e.platform, e.workspace, e.channel, max(e.created_at) AS mentioned_at
  FROM bot_events e
 WHERE e.knowledge_base_id IS NULL AND e.created_at > now() - interval '7 days'
   AND NOT EXISTS (SELECT FROM bot_channels c WHERE (c.platform, c.workspace) = (e.platform, e.workspace)
                                                AND c.channel IN (e.channel, '*'))
 GROUP BY e.platform, e.workspace, e.channel
 ORDER BY mentioned_at DESC, e.platform, e.workspace, e.channel LIMIT %(limit)s;

-- name: list_bot_events
-- The newest events of every platform.
SELECT e.*, k.slug AS knowledge_base FROM bot_events e LEFT JOIN knowledge_bases k ON k.id = e.knowledge_base_id
 WHERE k.deleted_at IS NULL ORDER BY e.created_at DESC, e.id LIMIT %(limit)s;

-- name: list_idle_bots
-- Platforms with a request that no bot process has taken for more than ten seconds; one that runs looks every second.
SELECT DISTINCT platform FROM bot_events
 WHERE state = 'open' AND holder IS NULL AND created_at < now() - interval '10 seconds' ORDER BY platform;

-- name: get_bot_channel
-- One configured channel.
SELECT c.*, k.slug AS knowledge_base FROM bot_channels c JOIN knowledge_bases k ON k.id = c.knowledge_base_id
 WHERE c.platform = %(platform)s AND c.workspace = %(workspace)s AND c.channel = %(channel)s AND k.deleted_at IS NULL;

-- name: bot_channel_of
-- What is configured for a channel: its own row, else the one for every channel of its workspace.
SELECT c.*, k.slug AS knowledge_base FROM bot_channels c JOIN knowledge_bases k ON k.id = c.knowledge_base_id
 WHERE c.platform = %(platform)s AND c.workspace = %(workspace)s AND c.channel IN (%(channel)s, '*')
   AND k.deleted_at IS NULL
 ORDER BY c.channel = '*' LIMIT 1;

-- name: put_bot_channel
-- Configure a channel; nothing is written if it is configured so already.
INSERT INTO bot_channels AS c (platform, workspace, channel, knowledge_base_id, mode, is_on)
VALUES (%(platform)s, %(workspace)s, %(channel)s, %(knowledge_base_id)s, %(mode)s, %(is_on)s)
ON CONFLICT (platform, workspace, channel) DO UPDATE
   SET knowledge_base_id = excluded.knowledge_base_id, mode = excluded.mode, is_on = excluded.is_on,
       configured_at = now()
 WHERE (c.knowledge_base_id, c.mode, c.is_on) IS DISTINCT FROM (excluded.knowledge_base_id, excluded.mode, excluded.is_on);

-- name: delete_bot_channel
-- Forget a channel.
DELETE FROM bot_channels WHERE platform = %(platform)s AND workspace = %(workspace)s AND channel = %(channel)s;

-- name: insert_bot_event
-- Take a message, unless it was taken before; a bot process that did not get the response may take it again.
INSERT INTO bot_events AS e (platform, id, kind, workspace, channel, thread, message, knowledge_base_id, question, holder)
SELECT %(platform)s, %(id)s, %(kind)s, %(workspace)s, %(channel)s, %(thread)s, %(message)s,
       (SELECT k.id FROM knowledge_bases k WHERE k.slug = %(knowledge_base)s AND k.deleted_at IS NULL), %(question)s,
       %(holder)s
ON CONFLICT (platform, id) DO UPDATE SET holder = excluded.holder
 WHERE e.state = 'open' AND e.holder = excluded.holder;

-- name: get_bot_event
-- One event.
SELECT e.*, k.slug AS knowledge_base FROM bot_events e LEFT JOIN knowledge_bases k ON k.id = e.knowledge_base_id
 WHERE e.platform = %(platform)s AND e.id = %(id)s AND k.deleted_at IS NULL;

-- name: take_bot_events
-- Give a bot process the open events that no process has, or all of another process if that has ended.
WITH taken AS (
    UPDATE bot_events SET holder = %(holder)s
     WHERE platform = %(platform)s AND state = 'open'
       AND (holder IS NULL OR (%(has_started)s AND holder <> %(holder)s))
    RETURNING *)
SELECT e.*, k.slug AS knowledge_base FROM taken e LEFT JOIN knowledge_bases k ON k.id = e.knowledge_base_id
 WHERE k.deleted_at IS NULL ORDER BY e.created_at, e.id;

-- name: change_bot_event
-- Note what a bot process did for an event that it holds; the question is forgotten once it is answered.
UPDATE bot_events
   SET answer_id = coalesce(%(answer_id)s, answer_id), messages = coalesce(%(messages)s::text[], messages),
       state = coalesce(%(state)s, state), error_code = coalesce(%(error_code)s, error_code),
       question = CASE WHEN coalesce(%(state)s, state) = 'open' THEN question ELSE '' END
 WHERE platform = %(platform)s AND id = %(id)s AND holder = %(holder)s
RETURNING id;

-- name: bot_history
-- The last answered questions of an event's thread, newest first.
SELECT a.question, left(a.answer, %(answer_limit)s) AS answer
  FROM bot_events o
  JOIN bot_events e ON (e.platform, e.workspace, e.channel, e.thread) = (o.platform, o.workspace, o.channel, o.thread)
                   AND e.id <> o.id AND e.created_at <= o.created_at AND e.knowledge_base_id = o.knowledge_base_id
  JOIN answers a ON a.id = e.answer_id
 WHERE o.platform = %(platform)s AND o.id = %(id)s AND e.state = 'done' AND a.state = 'done' AND a.question <> ''
 ORDER BY e.created_at DESC, e.id DESC LIMIT %(limit)s;

-- name: prune_bot_events
-- Forget events that were taken before a time, also those that no bot has answered: after so long nobody waits.
DELETE FROM bot_events WHERE created_at < %(before)s;
