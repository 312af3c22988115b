-- What happens by itself as the clock moves on: cycles that end, issues that
-- are closed and archived by age, issues that wake up.
ALTER TABLE tracker_issue ADD COLUMN auto_archived BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tracker_issue ADD COLUMN auto_closed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tracker_issue ADD COLUMN snoozed_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tracker_issue ADD COLUMN snoozed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE tracker_issue ADD COLUMN restored BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tracker_project ADD COLUMN auto_archived BIGINT NOT NULL DEFAULT 0;

-- The time at which something is next due in a team, or an earlier one; 0 asks
-- for a look at once.
ALTER TABLE tracker_team_counter ADD COLUMN due BIGINT NOT NULL DEFAULT 0;

CREATE INDEX tracker_issue_closed ON tracker_issue (org, team, (completed + canceled)) WHERE archived = 0 AND completed + canceled > 0;
CREATE INDEX tracker_issue_snoozed ON tracker_issue (org, team, snoozed_until) WHERE snoozed_until > 0;
