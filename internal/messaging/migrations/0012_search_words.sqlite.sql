-- What is indexed are words in lower case between blanks. The tokenizer for ASCII
-- takes them as they are, whatever letters they have; the one before dropped
-- marks, such as vowels of Thai, and letters that it did not know. So a message
-- is found by the same words before it is indexed and after.
DROP TABLE msg_search;
CREATE VIRTUAL TABLE msg_search USING fts5 (words, tags, content = '', contentless_delete = 1, tokenize = 'ascii');
UPDATE msg_search_state SET value = 0 WHERE name = 'indexed';
DELETE FROM msg_search_change;
