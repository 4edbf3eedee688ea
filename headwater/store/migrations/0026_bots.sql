-- Bots: the channels in which they answer, and the messages that they took.

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
