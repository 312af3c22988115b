-- The words of the index, so that the beginning of a word is searched for as
-- the words that begin with it: the index alone would read and merge all their
-- postings first.
CREATE TABLE tracker_search_word (word TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE tracker_search_vocabulary USING fts5vocab (tracker_search, col);
INSERT INTO tracker_search_word (word) SELECT DISTINCT term FROM tracker_search_vocabulary WHERE col IN ('title', 'description', 'comments');
DROP TABLE tracker_search_vocabulary;
