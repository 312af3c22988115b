-- Verdicts of runs, the last some thousand: they outlive the forks and worlds of the runs.
CREATE TABLE program_verdict (
    id          BIGINT NOT NULL PRIMARY KEY,
    at          BIGINT NOT NULL, -- real time, microseconds
    environment TEXT   NOT NULL, -- where the run was, usually a fork that is gone
    world       TEXT   NOT NULL, -- what that was forked from; '' for nothing
    series      TEXT   NOT NULL,
    task        TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    summary     TEXT   NOT NULL, -- JSON: what lists show
    bytes       BIGINT NOT NULL  -- of summary and detail
);

CREATE TABLE program_verdict_detail (
    id     BIGINT NOT NULL PRIMARY KEY,
    detail TEXT   NOT NULL -- JSON: what one verdict shows beside
);
