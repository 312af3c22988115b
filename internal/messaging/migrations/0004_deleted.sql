-- Deleted messages are counted without a look at the others.
CREATE INDEX msg_message_deleted ON msg_message (id) WHERE deleted;
