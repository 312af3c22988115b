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
) WITHOUT ROWID;
CREATE INDEX crm_rank_chunk ON crm_rank (chunk);
-- The sets of worlds from before are made again, with the ranks.
DELETE FROM crm_posting;
UPDATE crm_sequence SET next = 0 WHERE name = 'postings';
