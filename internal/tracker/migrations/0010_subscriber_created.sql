-- Subscribers are stored in the order in which their issues were created, so
-- that new ones share a few pages. By the random ids of issues each was on
-- pages of its own, in the table and in two indexes.
ALTER TABLE tracker_issue_subscriber RENAME TO tracker_issue_subscriber_old;
CREATE TABLE tracker_issue_subscriber (
    org     TEXT   NOT NULL,
    created BIGINT NOT NULL, -- when the issue was created
    issue   TEXT   NOT NULL,
    user_id TEXT   NOT NULL,
    PRIMARY KEY (org, created, issue, user_id)
) WITHOUT ROWID;
INSERT INTO tracker_issue_subscriber (org, created, issue, user_id)
SELECT s.org, i.created, s.issue, s.user_id FROM tracker_issue_subscriber_old s JOIN tracker_issue i ON i.org = s.org AND i.id = s.issue
    ORDER BY s.org, i.created, s.issue, s.user_id;
DROP TABLE tracker_issue_subscriber_old;
