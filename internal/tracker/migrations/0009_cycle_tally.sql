-- How the issues of a cycle change over time: in each minute, by how much the
-- number of issues and of points grew, in all, completed, and started but not
-- completed. Canceled and trashed issues do not count.
CREATE TABLE tracker_cycle_tally (
    org         TEXT   NOT NULL,
    cycle       TEXT   NOT NULL,
    minute      BIGINT NOT NULL,
    issues      BIGINT NOT NULL,
    done_issues BIGINT NOT NULL,
    scope       REAL   NOT NULL,
    done        REAL   NOT NULL,
    begun       REAL   NOT NULL,
    PRIMARY KEY (org, cycle, minute)
);

-- What is known of earlier cycles: when their issues joined, were started and
-- completed. Issues that were left at the end were there from the beginning.
INSERT INTO tracker_cycle_tally (org, cycle, minute, issues, done_issues, scope, done, begun)
SELECT org, cycle, at / 60000000, SUM(issues), SUM(done_issues), SUM(scope), SUM(done), SUM(begun) FROM (
    SELECT org, cycle, added_to_cycle AS at, 1 AS issues, 0 AS done_issues, COALESCE(estimate, 1) AS scope, 0 AS done, 0 AS begun
        FROM tracker_issue WHERE cycle <> '' AND canceled = 0 AND trashed = FALSE
    UNION ALL
    SELECT org, cycle, CASE WHEN completed > added_to_cycle THEN completed ELSE added_to_cycle END, 0, 1, 0, COALESCE(estimate, 1), 0
        FROM tracker_issue WHERE cycle <> '' AND canceled = 0 AND trashed = FALSE AND completed <> 0
    UNION ALL
    SELECT org, cycle, CASE WHEN started > added_to_cycle THEN started ELSE added_to_cycle END, 0, 0, 0, 0, COALESCE(estimate, 1)
        FROM tracker_issue WHERE cycle <> '' AND canceled = 0 AND trashed = FALSE AND started <> 0
    UNION ALL
    SELECT org, cycle, CASE WHEN completed > added_to_cycle THEN completed ELSE added_to_cycle END, 0, 0, 0, 0, -COALESCE(estimate, 1)
        FROM tracker_issue WHERE cycle <> '' AND canceled = 0 AND trashed = FALSE AND started <> 0 AND completed <> 0
    UNION ALL
    SELECT u.org, u.cycle, c.starts, 1, 0, COALESCE(i.estimate, 1), 0, 0
        FROM tracker_cycle_uncompleted u JOIN tracker_cycle c ON c.org = u.org AND c.id = u.cycle
        JOIN tracker_issue i ON i.org = u.org AND i.id = u.issue WHERE i.cycle <> u.cycle
) x GROUP BY org, cycle, at / 60000000;
