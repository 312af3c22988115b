-- Words of live records, one document for each. The index is filled behind the
-- writes: records up to the mark are in it, but for those in crm_fts_pending.
CREATE VIRTUAL TABLE crm_fts USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE crm_fts_vocab USING fts5vocab (crm_fts, row);
CREATE TABLE crm_fts_pending (id BIGINT NOT NULL PRIMARY KEY);
INSERT INTO crm_sequence (name, next) VALUES ('words', 0);
