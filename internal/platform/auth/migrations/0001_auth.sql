-- Opaque tokens, by the sha256 of their text.
CREATE TABLE auth_token (
    service TEXT   NOT NULL,
    hash    TEXT   NOT NULL,
    id      TEXT   NOT NULL,
    kind    TEXT   NOT NULL,
    tenant  TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    app     TEXT   NOT NULL,
    scopes  TEXT   NOT NULL,
    label   TEXT   NOT NULL,
    tier    TEXT   NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    revoked BIGINT NOT NULL,
    PRIMARY KEY (service, hash)
);
CREATE UNIQUE INDEX auth_token_id ON auth_token (service, tenant, id);

-- People who sign in with an e-mail address and a password.
CREATE TABLE auth_account (
    service  TEXT   NOT NULL,
    id       TEXT   NOT NULL,
    email    TEXT   NOT NULL,
    name     TEXT   NOT NULL,
    password TEXT   NOT NULL,
    created  BIGINT NOT NULL,
    PRIMARY KEY (service, id)
);
CREATE UNIQUE INDEX auth_account_email ON auth_account (service, email);

-- Refresh tokens; those of one sign-in are a family.
CREATE TABLE auth_refresh (
    hash    TEXT    NOT NULL PRIMARY KEY,
    service TEXT    NOT NULL,
    family  TEXT    NOT NULL,
    account TEXT    NOT NULL,
    tenant  TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    used    BOOLEAN NOT NULL,
    expires BIGINT  NOT NULL
);
CREATE INDEX auth_refresh_family ON auth_refresh (family);
