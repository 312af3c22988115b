-- Words of live records, one document for each, written with the record.
CREATE TABLE crm_words (
    id    BIGINT   NOT NULL PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX crm_words_words ON crm_words USING GIN (words) WITH (fastupdate = on);
