-- When a status ends, in microseconds (0 for never), beside the profile that holds it.
ALTER TABLE msg_user ADD COLUMN status_expires BIGINT NOT NULL DEFAULT 0;
CREATE INDEX msg_user_status ON msg_user (status_expires) WHERE status_expires > 0;

-- Custom emoji.
CREATE TABLE msg_emoji (
    workspace TEXT   NOT NULL,
    name      TEXT   NOT NULL,
    url       TEXT   NOT NULL,
    created   BIGINT NOT NULL,
    PRIMARY KEY (workspace, name)
);
