-- Whom a response_url answers, and the message for their eyes alone that
-- replace_original and delete_original are about; 0 for none.
ALTER TABLE msg_response ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
ALTER TABLE msg_response ADD COLUMN ephemeral_ts BIGINT NOT NULL DEFAULT 0;

-- The threads of a workspace, newest reply first.
CREATE INDEX msg_message_answered ON msg_message (workspace, latest_reply, id) WHERE reply_count > 0;
