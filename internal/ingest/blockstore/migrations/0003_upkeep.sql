-- What maintenance looks for: the blocks of a project in order, and the small ones.
CREATE INDEX event_block_project ON event_block (project, seq);
CREATE INDEX event_block_small ON event_block (project, seq) WHERE events < 256;

-- How many of the numbers below next belong to no event any more.
ALTER TABLE event_counter ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;

-- Erasures that are not finished: events of a session, or of a user, with
-- numbers below upto are in no reply, though blocks still hold them.
CREATE TABLE event_erasure (
    no      INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT   NOT NULL,
    session TEXT   NOT NULL, -- or ''
    user_id TEXT   NOT NULL, -- or ''
    upto    BIGINT NOT NULL
);
CREATE INDEX event_block_age ON event_block (project, min_ms);
