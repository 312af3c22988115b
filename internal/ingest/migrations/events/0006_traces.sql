-- The session that a trace was named to: by a span of it, whenever that came.
CREATE TABLE ingest_trace (
    project TEXT NOT NULL,
    trace   TEXT NOT NULL, -- 32 hex digits
    session TEXT NOT NULL,
    PRIMARY KEY (project, trace)
) WITHOUT ROWID;
CREATE INDEX ingest_trace_session ON ingest_trace (project, session);

-- Spans that have not arrived yet and have a model call below them, which counts
-- the tokens that they repeat.
CREATE TABLE ingest_covered (
    project TEXT   NOT NULL,
    id      TEXT   NOT NULL, -- of the event that the span becomes
    since   BIGINT NOT NULL, -- milliseconds of the environment's clock
    PRIMARY KEY (project, id)
) WITHOUT ROWID;
CREATE INDEX ingest_covered_since ON ingest_covered (since);

-- How often stored events were changed. A pass of the roll-ups that began before
-- a change begins again.
CREATE TABLE ingest_change (
    id    INTEGER PRIMARY KEY,
    times BIGINT NOT NULL
);
INSERT INTO ingest_change (id, times) VALUES (1, 0);
