-- The full-text index is filled behind the writes: up to indexed, and what was
-- changed since, by msg_search_change. tags hold where a message stands and
-- whose it is, so that a search need not touch the messages it does not show.
CREATE VIRTUAL TABLE msg_search USING fts5 (words, tags, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0');
CREATE TABLE msg_search_state (
    name  TEXT   NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO msg_search_state (name, value) VALUES ('indexed', 0);
CREATE TABLE msg_search_change (
    seq        INTEGER PRIMARY KEY,
    message_id BIGINT NOT NULL
);
