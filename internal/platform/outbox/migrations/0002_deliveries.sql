-- Who is to be told of an event. The id is the event's seq shifted left by 20
-- bits plus a number among those who are told of it, so that deliveries stand
-- in the order of events and find their event without a column for it.
CREATE TABLE outbox_delivery (
    id          INTEGER PRIMARY KEY,
    service     TEXT   NOT NULL,
    destination TEXT   NOT NULL,
    note        TEXT   NOT NULL, -- the service's own
    status      TEXT   NOT NULL, -- pending, delivered, failed, cancelled
    tries       BIGINT NOT NULL, -- since it was queued
    attempts    BIGINT NOT NULL, -- in all, replays included
    queued      BIGINT NOT NULL,
    due         BIGINT NOT NULL,
    reason      TEXT   NOT NULL  -- of the last failed attempt: its outcome
);
CREATE INDEX outbox_delivery_pending ON outbox_delivery (service, destination, id) WHERE status = 'pending';

CREATE TABLE outbox_attempt (
    delivery BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    url      TEXT   NOT NULL,
    outcome  TEXT   NOT NULL,
    status   BIGINT NOT NULL, -- HTTP status, 0 without a reply
    took     BIGINT NOT NULL, -- microseconds
    error    TEXT   NOT NULL,
    reply    TEXT   NOT NULL,
    PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
