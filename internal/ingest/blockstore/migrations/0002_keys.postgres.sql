-- Hashes of event ids, shared by all nodes.
CREATE TABLE event_key (
    hash BIGINT NOT NULL,
    seq  BIGINT NOT NULL,
    PRIMARY KEY (hash, seq)
);
