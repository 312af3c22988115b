-- The environments. A row is written when its databases are complete.
CREATE TABLE environment (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    parent      TEXT   NOT NULL,
    created     BIGINT NOT NULL,
    rate_limits TEXT   NOT NULL,
    expires     BIGINT NOT NULL, -- real time, microseconds; 0 is never
    restoring   TEXT   NOT NULL  -- the copy that a reset or restore is putting back; '' when none is
);

-- Copies of environments: the state at creation, and what people ask for.
CREATE TABLE snapshot (
    id          TEXT   NOT NULL PRIMARY KEY,
    environment TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    created     BIGINT NOT NULL,
    size        BIGINT NOT NULL
);
CREATE INDEX snapshot_environment ON snapshot (environment, id);
