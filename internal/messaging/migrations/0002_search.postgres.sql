-- PostgreSQL keeps the full-text index with the row.
ALTER TABLE msg_message ADD COLUMN document tsvector
    GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED;
CREATE INDEX msg_message_words ON msg_message USING GIN (document);
