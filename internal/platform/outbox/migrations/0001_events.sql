-- What happened, in the order of commits for each key.
CREATE TABLE outbox_event (
    seq        INTEGER PRIMARY KEY,
    service    TEXT    NOT NULL,
    tenant     TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    payload    TEXT    NOT NULL,
    at         BIGINT  NOT NULL,
    request_id TEXT    NOT NULL
);
