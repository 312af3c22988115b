-- Words of live records, one document for each, written with the record.
CREATE TABLE crm_fts (
    id    BIGINT   NOT NULL PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX crm_fts_words ON crm_fts USING GIN (words) WITH (fastupdate = on);
