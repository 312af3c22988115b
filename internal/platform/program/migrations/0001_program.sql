-- How often keys were renewed; the keys themselves derive from the root key.
CREATE TABLE program_key (
    name     TEXT   NOT NULL PRIMARY KEY,
    rotation BIGINT NOT NULL,
    rotated  BIGINT NOT NULL -- real time, microseconds
);

-- Who did what to credentials and environments, the last some thousand.
CREATE TABLE program_audit (
    id          BIGINT NOT NULL PRIMARY KEY,
    at          BIGINT NOT NULL, -- real time, microseconds
    action      TEXT   NOT NULL,
    environment TEXT   NOT NULL,
    service     TEXT   NOT NULL, -- '' for the admin plane
    actor       TEXT   NOT NULL,
    address     TEXT   NOT NULL,
    target      TEXT   NOT NULL,
    request     TEXT   NOT NULL
);
