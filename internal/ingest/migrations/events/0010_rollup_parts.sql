-- Sums by hour and day have one row for each name: a series of many hours reads a sixth
-- of the rows where calls succeed and fail with three models. They are built anew from the
-- events, as in 0008.
DROP TABLE ingest_rollup;
CREATE TABLE ingest_rollup (
    project TEXT   NOT NULL,
    grain   BIGINT NOT NULL, -- 1 for an hour, 24 for a day
    at      BIGINT NOT NULL, -- its beginning
    tool    TEXT   NOT NULL, -- or the name of any other event
    events  BIGINT NOT NULL,
    parts   BLOB   NOT NULL, -- sums by model, kind and success, and a checksum
    PRIMARY KEY (project, grain, at, tool)
) WITHOUT ROWID;
INSERT INTO ingest_progress (name, seq) SELECT 'rebuild', 0 FROM ingest_progress WHERE name = 'rollup'
    ON CONFLICT (name) DO UPDATE SET seq = 0;
