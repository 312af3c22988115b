-- A block is the events of one append, column by column: what filters and sums
-- need. seq is the number of its first event; times are milliseconds.
CREATE TABLE event_block (
    seq     INTEGER PRIMARY KEY,
    project TEXT   NOT NULL,
    events  BIGINT NOT NULL,
    min_ms  BIGINT NOT NULL,
    max_ms  BIGINT NOT NULL,
    columns BLOB   NOT NULL
);
CREATE INDEX event_block_time ON event_block (project, max_ms);

-- The rest of a block: ids and parents, and the payloads, compressed.
CREATE TABLE event_detail (
    seq     INTEGER PRIMARY KEY,
    idents  BLOB NOT NULL,
    payload BLOB NOT NULL
);

-- Sessions by number, and the blocks that hold events of each.
CREATE TABLE event_session (
    no      INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL,
    id      TEXT NOT NULL,
    UNIQUE (project, id)
);
CREATE TABLE event_session_block (
    session BIGINT NOT NULL,
    block   BIGINT NOT NULL,
    PRIMARY KEY (session, block)
) WITHOUT ROWID;

-- The number of the next event. Its row is the lock that puts appends in order.
CREATE TABLE event_counter (
    id   INTEGER PRIMARY KEY,
    next BIGINT NOT NULL
);
INSERT INTO event_counter (id, next) VALUES (1, 1);
