-- Projects keep the data of one environment apart; each key belongs to one.
CREATE TABLE ingest_project (
    id      TEXT   NOT NULL PRIMARY KEY,
    name    TEXT   NOT NULL UNIQUE,
    created BIGINT NOT NULL
);
