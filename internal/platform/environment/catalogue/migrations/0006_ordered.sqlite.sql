-- Lists are ordered by id. The rows are stored in that order, so that a page of a
-- list is in a few pages of the file: ids are random, and a table with rowids has
-- each row in another page.
CREATE TABLE ordered (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    parent      TEXT    NOT NULL,
    created     BIGINT  NOT NULL,
    rate_limits TEXT    NOT NULL,
    expires     BIGINT  NOT NULL, -- real time, microseconds; 0 is never
    restoring   TEXT    NOT NULL, -- the copy that a reset or restore is putting back; '' when none is
    wake        BIGINT  NOT NULL DEFAULT 0,
    ephemeral   BOOLEAN NOT NULL DEFAULT FALSE,
    position    BIGINT  NOT NULL DEFAULT 0,
    storage     TEXT    NOT NULL DEFAULT ''
) WITHOUT ROWID;
INSERT INTO ordered (id, name, parent, created, rate_limits, expires, restoring, wake, ephemeral, position, storage)
    SELECT id, name, parent, created, rate_limits, expires, restoring, wake, ephemeral, position, storage FROM environment ORDER BY id;
DROP TABLE environment;
ALTER TABLE ordered RENAME TO environment;
CREATE INDEX environment_wake ON environment (wake) WHERE wake > 0;
CREATE INDEX environment_expires ON environment (expires) WHERE expires > 0;
CREATE INDEX environment_name ON environment (name);

CREATE TABLE ordered (
    environment TEXT    NOT NULL PRIMARY KEY,
    frozen      BOOLEAN NOT NULL,
    clock_at    BIGINT  NOT NULL, -- microseconds, while frozen
    clock_off   BIGINT  NOT NULL, -- microseconds from real time, while running
    size        BIGINT  NOT NULL, -- bytes
    counts      TEXT    NOT NULL  -- JSON: numbers by service and entity
) WITHOUT ROWID;
INSERT INTO ordered (environment, frozen, clock_at, clock_off, size, counts)
    SELECT environment, frozen, clock_at, clock_off, size, counts FROM environment_overview ORDER BY environment;
DROP TABLE environment_overview;
ALTER TABLE ordered RENAME TO environment_overview;
