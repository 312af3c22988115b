-- Sessions of signed-in people. A JWT is good only where its session is: here,
-- and in copies that were made after it began.
CREATE TABLE auth_session (
    service TEXT    NOT NULL,
    family  TEXT    NOT NULL,
    account TEXT    NOT NULL,
    expires BIGINT  NOT NULL, -- when no token of it can be good any more
    ended   BOOLEAN NOT NULL,
    PRIMARY KEY (service, family)
);
CREATE INDEX auth_session_account ON auth_session (service, account);
CREATE INDEX auth_session_expires ON auth_session (expires);
CREATE INDEX auth_refresh_account ON auth_refresh (service, account);

INSERT INTO auth_session (service, family, account, expires, ended)
    SELECT service, family, MIN(account), MAX(expires), FALSE FROM auth_refresh GROUP BY service, family;
DROP TABLE auth_ended;
