-- The index follows behind the writes. Words of titles have the weight A, of
-- descriptions B, of comments C; D are identifiers and tags: the organization,
-- the team, and whether an issue is archived.
CREATE TABLE tracker_search_document (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    org    TEXT NOT NULL,
    issue  TEXT NOT NULL,
    words  tsvector NOT NULL
);
CREATE UNIQUE INDEX tracker_search_document_issue ON tracker_search_document (org, issue);
CREATE INDEX tracker_search_document_words ON tracker_search_document USING GIN (words);
