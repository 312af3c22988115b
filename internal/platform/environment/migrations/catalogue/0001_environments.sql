-- The environments. A row is written when its world is complete.
CREATE TABLE environment (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    parent      TEXT   NOT NULL,
    created     BIGINT NOT NULL,
    rate_limits TEXT   NOT NULL
);
