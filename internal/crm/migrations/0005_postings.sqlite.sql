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
) WITHOUT ROWID;
CREATE INDEX crm_posting_chunk ON crm_posting (chunk);
-- How many chunks have their sets.
INSERT INTO crm_sequence (name, next) VALUES ('postings', 0);
