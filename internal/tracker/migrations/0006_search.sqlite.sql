-- The index follows behind the writes. keys holds identifiers; tags hold the
-- organization, the team, and whether an issue is archived.
CREATE VIRTUAL TABLE tracker_search USING fts5 (title, description, comments, keys, tags, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 0');
CREATE TABLE tracker_search_document (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    org    TEXT NOT NULL,
    issue  TEXT NOT NULL
);
CREATE UNIQUE INDEX tracker_search_document_issue ON tracker_search_document (org, issue);
