-- Sessions that the admin plane has given out to act as someone, by the sha256
-- of their token or, for a JWT, of its family. They are of this world alone:
-- copies begin without any.
CREATE TABLE auth_acting (
    service TEXT   NOT NULL,
    hash    TEXT   NOT NULL,
    id      TEXT   NOT NULL,
    kind    TEXT   NOT NULL,
    tenant  TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    account TEXT   NOT NULL, -- '' for someone nobody can sign in as
    scopes  TEXT   NOT NULL,
    tier    TEXT   NOT NULL,
    expires BIGINT NOT NULL,
    PRIMARY KEY (service, hash)
);
CREATE INDEX auth_acting_expires ON auth_acting (expires);
