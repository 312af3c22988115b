-- All times in this database are milliseconds since 1970, the unit of the wire
-- (created and the like in the state are microseconds, as everywhere).

-- Conversations. A row is made by capture-session, or by the first roll-up
-- that meets an event of an unknown session (registered is false then).
CREATE TABLE ingest_session (
    project       TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    user_id       TEXT    NOT NULL,
    traits        TEXT    NOT NULL, -- JSON object: what was sent with this session
    metadata      TEXT    NOT NULL, -- JSON object
    attributes    TEXT    NOT NULL, -- JSON object: further members that clients send
    client_config TEXT    NOT NULL,
    started       BIGINT  NOT NULL,
    registered    BOOLEAN NOT NULL,
    last_event    BIGINT  NOT NULL,
    events        BIGINT  NOT NULL,
    errors        BIGINT  NOT NULL,
    input_tokens  BIGINT  NOT NULL,
    output_tokens BIGINT  NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE INDEX ingest_session_started ON ingest_session (project, started, id);

-- End users, with their latest traits.
CREATE TABLE ingest_user (
    project    TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    traits     TEXT   NOT NULL, -- JSON object
    first_seen BIGINT NOT NULL,
    last_seen  BIGINT NOT NULL,
    PRIMARY KEY (project, id)
);
CREATE INDEX ingest_user_seen ON ingest_user (project, last_seen, id);

-- The traits that can be filtered by: one row for each scalar value of a user.
CREATE TABLE ingest_trait (
    project TEXT NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (project, name, value, user_id)
) WITHOUT ROWID;
CREATE INDEX ingest_trait_user ON ingest_trait (project, user_id);

-- Sums by hour (grain 1) and by day (grain 24). sketch is a DDSketch of the latencies.
CREATE TABLE ingest_rollup (
    project       TEXT    NOT NULL,
    grain         BIGINT  NOT NULL,
    at            BIGINT  NOT NULL, -- beginning of the hour or day
    tool          TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    turn          BOOLEAN NOT NULL,
    success       BOOLEAN NOT NULL,
    events        BIGINT  NOT NULL,
    input_tokens  BIGINT  NOT NULL,
    output_tokens BIGINT  NOT NULL,
    sketch        BLOB    NOT NULL,
    PRIMARY KEY (project, grain, at, tool, model, turn, success)
) WITHOUT ROWID;

-- Up to which event the roll-ups have come.
CREATE TABLE ingest_progress (
    name TEXT   NOT NULL PRIMARY KEY,
    seq  BIGINT NOT NULL
);
