-- Issues that have changed since they were indexed; moved ones come first among
-- equally good matches.
CREATE TABLE tracker_search_change (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    org    TEXT    NOT NULL,
    issue  TEXT    NOT NULL,
    moved  BOOLEAN NOT NULL
);
INSERT INTO tracker_search_change (org, issue, moved) SELECT org, id, TRUE FROM tracker_issue ORDER BY updated, id;
