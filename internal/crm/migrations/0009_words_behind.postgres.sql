-- The index of words is filled behind the writes from here on: records up to the
-- mark are in it, but for those in crm_fts_pending, which has a row for each change.
CREATE TABLE crm_fts_pending (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id  BIGINT NOT NULL
);
INSERT INTO crm_sequence (name, next) VALUES ('words', COALESCE((SELECT next - 1 FROM crm_sequence WHERE name = 'record'), 0));
INSERT INTO crm_fts_word (portal, word)
    SELECT DISTINCT portal, w FROM crm_fts_late, unnest(string_to_array(substr(words, 2), ' ')) w ON CONFLICT DO NOTHING;
DROP TABLE crm_fts_late;
