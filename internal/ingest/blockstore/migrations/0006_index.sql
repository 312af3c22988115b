-- What follows behind the events, by their numbers, for ranges of them: by
-- which words and metadata they are found, their checkpoints, and the messages
-- of those that failed. A range is from first to last, both inclusive.
CREATE TABLE event_run (
    first INTEGER PRIMARY KEY,
    last  BIGINT NOT NULL,
    marks BLOB   NOT NULL,
    fails BLOB   NOT NULL
);
-- The terms of a range, sorted by hash; least is the first hash of a page.
CREATE TABLE event_run_term (
    run   BIGINT NOT NULL,
    least BIGINT NOT NULL,
    terms BLOB   NOT NULL,
    PRIMARY KEY (run, least)
);
