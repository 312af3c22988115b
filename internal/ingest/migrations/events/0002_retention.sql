-- After how many days the events of a project go. Without a row they stay.
CREATE TABLE ingest_retention (
    project TEXT   NOT NULL PRIMARY KEY,
    days    BIGINT NOT NULL
);
CREATE INDEX ingest_session_user ON ingest_session (project, user_id);
