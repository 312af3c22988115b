-- Hashes of event ids in sorted runs: random keys in one tree would rewrite a
-- page for each event. upto is the number of the first event that is in no run.
CREATE TABLE event_key_run (
    upto   INTEGER PRIMARY KEY,
    filter BLOB NOT NULL
);
CREATE TABLE event_key_page (
    upto  BIGINT NOT NULL,
    least BIGINT NOT NULL, -- first hash of the page, as a signed number
    pairs BLOB   NOT NULL,
    PRIMARY KEY (upto, least)
);
