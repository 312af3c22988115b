-- Who is told of events, and the doors by which other programs come in. No
-- secret is kept: what can be derived is, and the rest as sha256.

CREATE TABLE msg_subscription (
    workspace     TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    kind          TEXT   NOT NULL, -- events, outgoing
    app           TEXT   NOT NULL,
    viewer        TEXT   NOT NULL, -- through whose eyes: the app's bot user, or a person
    url           TEXT   NOT NULL,
    event_types   TEXT   NOT NULL, -- comma list
    status        TEXT   NOT NULL, -- active, disabled
    name          TEXT   NOT NULL,
    channel       TEXT   NOT NULL, -- '' for all
    trigger_words TEXT   NOT NULL, -- JSON array
    creator       TEXT   NOT NULL,
    created       BIGINT NOT NULL,
    PRIMARY KEY (workspace, id)
);

CREATE TABLE msg_webhook (
    workspace TEXT   NOT NULL,
    ref       TEXT   NOT NULL, -- the secret id derives from it
    hash      TEXT   NOT NULL,
    app       TEXT   NOT NULL,
    channel   TEXT   NOT NULL,
    name      TEXT   NOT NULL,
    creator   TEXT   NOT NULL,
    created   BIGINT NOT NULL,
    PRIMARY KEY (workspace, ref)
);
CREATE UNIQUE INDEX msg_webhook_hash ON msg_webhook (hash);

CREATE TABLE msg_command (
    workspace     TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    app           TEXT    NOT NULL,
    command       TEXT    NOT NULL, -- with its slash
    url           TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    usage_hint    TEXT    NOT NULL,
    should_escape BOOLEAN NOT NULL,
    creator       TEXT    NOT NULL,
    created       BIGINT  NOT NULL,
    PRIMARY KEY (workspace, id)
);
CREATE UNIQUE INDEX msg_command_name ON msg_command (workspace, command);

-- A response_url: the right to answer where a command or an interaction came from.
CREATE TABLE msg_response (
    hash      TEXT   NOT NULL PRIMARY KEY,
    workspace TEXT   NOT NULL,
    app       TEXT   NOT NULL,
    channel   TEXT   NOT NULL,
    ts        BIGINT NOT NULL, -- of the message that replace_original and delete_original are about; 0 for none
    thread_ts BIGINT NOT NULL,
    uses      BIGINT NOT NULL,
    created   BIGINT NOT NULL
);
CREATE INDEX msg_response_created ON msg_response (created);
