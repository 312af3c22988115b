-- Invitations into organizations; of a token only the sha256 is stored.
CREATE TABLE tracker_invite (
    org      TEXT   NOT NULL,
    id       TEXT   NOT NULL,
    email    TEXT   NOT NULL,
    role     TEXT   NOT NULL,
    inviter  TEXT   NOT NULL,
    token    TEXT   NOT NULL,
    expires  BIGINT NOT NULL,
    accepted BIGINT NOT NULL,
    created  BIGINT NOT NULL,
    updated  BIGINT NOT NULL,
    archived BIGINT NOT NULL,
    version  BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX tracker_invite_token ON tracker_invite (token);
