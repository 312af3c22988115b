-- What was known of an environment when it was closed, so that a list need not open it.
CREATE TABLE environment_overview (
    environment TEXT    NOT NULL PRIMARY KEY,
    frozen      BOOLEAN NOT NULL,
    clock_at    BIGINT  NOT NULL, -- microseconds, while frozen
    clock_off   BIGINT  NOT NULL, -- microseconds from real time, while running
    size        BIGINT  NOT NULL, -- bytes
    counts      TEXT    NOT NULL  -- JSON: numbers by service and entity
);
