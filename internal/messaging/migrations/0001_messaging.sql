-- Workspaces, people, conversations and messages. The workspace comes first in
-- every key. Times are microseconds; a ts is a time that is unique in its channel.

CREATE TABLE msg_workspace (
    id      TEXT    NOT NULL PRIMARY KEY,
    name    TEXT    NOT NULL,
    domain  TEXT    NOT NULL,
    created BIGINT  NOT NULL,
    deleted BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX msg_workspace_domain ON msg_workspace (domain) WHERE NOT deleted;

CREATE TABLE msg_user (
    workspace TEXT    NOT NULL,
    id        TEXT    NOT NULL,
    account   TEXT    NOT NULL, -- who signs in as this user; '' for bots
    name      TEXT    NOT NULL, -- the handle
    email     TEXT    NOT NULL,
    is_admin  BOOLEAN NOT NULL,
    is_owner  BOOLEAN NOT NULL,
    deleted   BOOLEAN NOT NULL,
    bot_id    TEXT    NOT NULL, -- '' for people
    app_id    TEXT    NOT NULL, -- '' for people
    presence  TEXT    NOT NULL, -- what the user chose: auto or away
    tz        TEXT    NOT NULL,
    profile   TEXT    NOT NULL, -- JSON
    created   BIGINT  NOT NULL,
    updated   BIGINT  NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE UNIQUE INDEX msg_user_name ON msg_user (workspace, name);
CREATE INDEX msg_user_account ON msg_user (account) WHERE account <> '';

CREATE TABLE msg_app (
    workspace   TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    manifest    TEXT    NOT NULL, -- JSON, as it was given
    bot_id      TEXT    NOT NULL,
    bot_user_id TEXT    NOT NULL,
    bot_scopes  TEXT    NOT NULL,
    user_scopes TEXT    NOT NULL,
    creator     TEXT    NOT NULL,
    rotation    BIGINT  NOT NULL, -- how often its tokens were made anew
    created     BIGINT  NOT NULL,
    deleted     BOOLEAN NOT NULL,
    PRIMARY KEY (workspace, id)
);

CREATE TABLE msg_channel (
    workspace       TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    kind            TEXT    NOT NULL, -- public, private, mpim, im
    name            TEXT    NOT NULL, -- '' for an im
    creator         TEXT    NOT NULL,
    created         BIGINT  NOT NULL,
    updated         BIGINT  NOT NULL,
    archived        BOOLEAN NOT NULL,
    is_general      BOOLEAN NOT NULL,
    topic           TEXT    NOT NULL,
    topic_creator   TEXT    NOT NULL,
    topic_set       BIGINT  NOT NULL,
    purpose         TEXT    NOT NULL,
    purpose_creator TEXT    NOT NULL,
    purpose_set     BIGINT  NOT NULL,
    previous_names  TEXT    NOT NULL, -- comma list
    member_key      TEXT    NOT NULL, -- of an im or mpim: its users, sorted
    members         BIGINT  NOT NULL,
    last_ts         BIGINT  NOT NULL, -- the newest ts given out
    version         BIGINT  NOT NULL, -- grows with every change of a message
    PRIMARY KEY (workspace, id)
);
CREATE UNIQUE INDEX msg_channel_name ON msg_channel (workspace, name) WHERE name <> '';
CREATE UNIQUE INDEX msg_channel_members ON msg_channel (workspace, member_key) WHERE member_key <> '';

CREATE TABLE msg_member (
    workspace TEXT   NOT NULL,
    channel   TEXT   NOT NULL,
    user_id   TEXT   NOT NULL,
    joined    BIGINT NOT NULL,
    last_read BIGINT NOT NULL,
    PRIMARY KEY (workspace, channel, user_id)
);
CREATE INDEX msg_member_user ON msg_member (workspace, user_id, channel);

-- body is the message as it goes over the wire, without what changes around
-- it: thread counters, reactions, metadata. A deleted message keeps its row,
-- emptied, so that the search index can follow.
CREATE TABLE msg_message (
    id            INTEGER PRIMARY KEY,
    workspace     TEXT    NOT NULL,
    channel       TEXT    NOT NULL,
    listed        BOOLEAN NOT NULL, -- stands in the channel's history, not only in a thread
    ts            BIGINT  NOT NULL,
    thread_ts     BIGINT  NOT NULL, -- of a reply: the ts of its parent; else 0
    user_id       TEXT    NOT NULL,
    subtype       TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    metadata      TEXT    NOT NULL,
    reactions     TEXT    NOT NULL, -- JSON array, '' without any
    reply_count   BIGINT  NOT NULL,
    reply_users   TEXT    NOT NULL, -- comma list in order of their first reply
    latest_reply  BIGINT  NOT NULL,
    client_msg_id TEXT    NOT NULL,
    words         TEXT    NOT NULL, -- what search looks at
    deleted       BOOLEAN NOT NULL
);
CREATE INDEX msg_message_place ON msg_message (workspace, channel, listed, ts);
CREATE INDEX msg_message_thread ON msg_message (workspace, channel, thread_ts, ts) WHERE thread_ts > 0;
CREATE UNIQUE INDEX msg_message_client ON msg_message (workspace, channel, client_msg_id) WHERE client_msg_id <> '';

CREATE TABLE msg_reaction (
    workspace TEXT   NOT NULL,
    channel   TEXT   NOT NULL,
    ts        BIGINT NOT NULL,
    name      TEXT   NOT NULL,
    user_id   TEXT   NOT NULL,
    added     BIGINT NOT NULL,
    PRIMARY KEY (workspace, channel, ts, name, user_id)
);
