-- Sessions that were ended while access tokens of theirs could still be good.
CREATE TABLE auth_ended (
    service TEXT   NOT NULL,
    family  TEXT   NOT NULL,
    until   BIGINT NOT NULL,
    PRIMARY KEY (service, family)
);

-- Every sign-in drops what has expired.
CREATE INDEX auth_refresh_expires ON auth_refresh (expires);
