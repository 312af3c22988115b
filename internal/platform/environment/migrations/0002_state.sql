-- What an environment remembers between being closed and being opened again.
CREATE TABLE env_state (
    name  TEXT NOT NULL PRIMARY KEY, -- limits
    value BLOB NOT NULL
);

-- Recorded requests, as many as were in memory when the environment was closed.
CREATE TABLE env_request (
    last  BIGINT NOT NULL PRIMARY KEY, -- number of the last of them
    count BIGINT NOT NULL,
    size  BIGINT NOT NULL,
    data  BLOB   NOT NULL
);
