-- What apps have answered to one person alone, and behind which event of the
-- outbox it came. The newest of each person are kept.
CREATE TABLE msg_ephemeral (
    id        INTEGER PRIMARY KEY,
    workspace TEXT    NOT NULL,
    user_id   TEXT    NOT NULL,
    event     BIGINT  NOT NULL,
    kind      TEXT    NOT NULL, -- response: in the reply to a command or an interaction; ephemeral: later
    channel   TEXT    NOT NULL,
    ts        BIGINT  NOT NULL,
    body      TEXT    NOT NULL, -- the message as clients are sent it
    request   BIGINT  NOT NULL  -- the number of the request that brought it; 0 for none
);
CREATE INDEX msg_ephemeral_user ON msg_ephemeral (workspace, user_id, id);

-- What stood last in a person's inbox when they last acted through the admin plane.
CREATE TABLE msg_act (
    workspace TEXT   NOT NULL,
    user_id   TEXT   NOT NULL,
    event     BIGINT NOT NULL,
    ephemeral BIGINT NOT NULL,
    PRIMARY KEY (workspace, user_id)
);

-- The name that a seed document has given an app; '' for one that people made.
ALTER TABLE msg_app ADD COLUMN seeded_as TEXT NOT NULL DEFAULT '';
