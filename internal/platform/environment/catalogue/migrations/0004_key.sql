-- What the program has noted about the database; key_fingerprint shows with which key it was made.
CREATE TABLE note (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
