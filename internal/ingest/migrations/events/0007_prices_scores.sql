-- What tokens of a model cost. Costs are computed when they are read.
CREATE TABLE ingest_price (
    project  TEXT NOT NULL,
    model    TEXT NOT NULL,
    input    DOUBLE PRECISION NOT NULL, -- for a million tokens
    output   DOUBLE PRECISION NOT NULL,
    currency TEXT NOT NULL,
    PRIMARY KEY (project, model)
);

-- Judgements of sessions and events, in the order in which they came.
CREATE TABLE ingest_score (
    no      INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT   NOT NULL UNIQUE,
    project TEXT   NOT NULL,
    session TEXT   NOT NULL, -- that is judged, or that the event is in
    event   TEXT   NOT NULL, -- '' when the session is judged
    number  BIGINT NOT NULL, -- of the event
    name    TEXT   NOT NULL,
    text    TEXT   NOT NULL, -- the value as text
    value   DOUBLE PRECISION, -- NULL for one that is no number
    comment TEXT   NOT NULL,
    at      BIGINT NOT NULL, -- start of what is judged
    created BIGINT NOT NULL
);
CREATE INDEX ingest_score_name ON ingest_score (project, name, at);
CREATE INDEX ingest_score_session ON ingest_score (project, session);
