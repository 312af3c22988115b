-- Sums by hour and day keep turns, calls of tools and other steps apart. They are
-- built anew from the events: the row 'rebuild' says how far that has come.
DROP TABLE ingest_rollup;
CREATE TABLE ingest_rollup (
    project       TEXT    NOT NULL,
    grain         BIGINT  NOT NULL,
    at            BIGINT  NOT NULL, -- beginning of the hour or day
    tool          TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    kind          BIGINT  NOT NULL, -- 1 turn, 2 call of a tool, 3 other step
    success       BOOLEAN NOT NULL,
    events        BIGINT  NOT NULL,
    input_tokens  BIGINT  NOT NULL,
    output_tokens BIGINT  NOT NULL,
    sketch        BLOB    NOT NULL,
    PRIMARY KEY (project, grain, at, tool, model, kind, success)
) WITHOUT ROWID;
INSERT INTO ingest_progress (name, seq) SELECT 'rebuild', 0 FROM ingest_progress WHERE name = 'rollup';
