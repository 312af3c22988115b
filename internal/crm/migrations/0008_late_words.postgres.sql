-- Words of the last writes, each after a blank, which are not in crm_fts_word yet.
CREATE TABLE crm_fts_late (
    portal BIGINT NOT NULL,
    words  TEXT   NOT NULL
);
