-- Whether anyone with an account may join; else by invitation alone.
ALTER TABLE msg_workspace ADD COLUMN is_open BOOLEAN NOT NULL DEFAULT TRUE;

-- Invitations to a workspace, by the sha256 of their secret.
CREATE TABLE msg_invitation (
    workspace TEXT   NOT NULL,
    id        TEXT   NOT NULL,
    email     TEXT   NOT NULL,
    hash      TEXT   NOT NULL,
    creator   TEXT   NOT NULL,
    created   BIGINT NOT NULL,
    expires   BIGINT NOT NULL,
    user_id   TEXT   NOT NULL, -- who joined by it; '' while it is open
    PRIMARY KEY (workspace, id)
);
CREATE UNIQUE INDEX msg_invitation_hash ON msg_invitation (hash);
CREATE INDEX msg_invitation_email ON msg_invitation (workspace, email);

-- People who were seeded and may be claimed by an account with their address.
CREATE INDEX msg_user_email ON msg_user (email) WHERE account = '' AND email <> '';
