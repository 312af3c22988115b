-- Sets of records as bits, a row for each chunk of ids: bit i of chunk c is the
-- record with the id 100001 + c * size + i. Sets are made behind the writes,
-- like the index of words, for complete chunks alone:
--   property -type, value ''         the live records of the type
--   property, value ''               those that have a value of the property
--   property, value                  those with this value, where they are dense in the chunk
--   property 0, value a scoped word  those with this word, where they are dense in the chunk
CREATE TABLE crm_posting (
    portal   BIGINT NOT NULL,
    property BIGINT NOT NULL,
    value    TEXT   NOT NULL,
    chunk    BIGINT NOT NULL,
    bits     BLOB   NOT NULL,
    PRIMARY KEY (portal, property, value, chunk)
);
CREATE INDEX crm_posting_chunk ON crm_posting (chunk);
-- Values of a number, a date or a time as ranks, a row for each chunk of ids:
-- searches count by them what lies in a range. They are made with the sets of
-- crm_posting. cells begins with a base (8 bytes, most significant first) and
-- the width of a cell in bytes (1 byte); cell i belongs to the i-th id of the
-- chunk, least significant byte first: 0 is no value, else the rank less the
-- base, plus 1. A chunk without a row has no values, or one that has no rank.
CREATE TABLE crm_rank (
    portal   BIGINT NOT NULL,
    property BIGINT NOT NULL,
    chunk    BIGINT NOT NULL,
    cells    BLOB   NOT NULL,
    PRIMARY KEY (portal, property, chunk)
);
CREATE INDEX crm_rank_chunk ON crm_rank (chunk);
-- How many chunks have their sets.
INSERT INTO crm_sequence (name, next) VALUES ('postings', 0);
