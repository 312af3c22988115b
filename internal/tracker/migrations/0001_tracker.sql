-- Times are microseconds, 0 is never; '' is no reference. A list of ids in one
-- column is separated by spaces and repeats what a link table holds, so that a
-- row can be shown without reading that table. A version is the sync id of the
-- write that last changed the row: whoever writes a row sets it.

CREATE TABLE tracker_organization (
    id            TEXT   NOT NULL PRIMARY KEY,
    name          TEXT   NOT NULL,
    url_key       TEXT   NOT NULL,
    logo_url      TEXT   NOT NULL,
    previous_keys TEXT   NOT NULL,
    settings      TEXT   NOT NULL,
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    version       BIGINT NOT NULL
);
CREATE UNIQUE INDEX tracker_organization_key ON tracker_organization (url_key);

-- The last sync id of an organization. A write takes this row first, so writes
-- of one organization follow one another.
CREATE TABLE tracker_sync (
    org     TEXT   NOT NULL PRIMARY KEY,
    sync_id BIGINT NOT NULL
);

CREATE TABLE tracker_user (
    org            TEXT    NOT NULL,
    id             TEXT    NOT NULL,
    account        TEXT    NOT NULL,
    email          TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    display_name   TEXT    NOT NULL,
    avatar_url     TEXT    NOT NULL,
    description    TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    timezone       TEXT    NOT NULL,
    status_emoji   TEXT    NOT NULL,
    status_label   TEXT    NOT NULL,
    status_until   BIGINT  NOT NULL,
    admin          BOOLEAN NOT NULL,
    owner          BOOLEAN NOT NULL,
    guest          BOOLEAN NOT NULL,
    active         BOOLEAN NOT NULL,
    last_seen      BIGINT  NOT NULL,
    created_issues BIGINT  NOT NULL,
    created        BIGINT  NOT NULL,
    updated        BIGINT  NOT NULL,
    archived       BIGINT  NOT NULL,
    version        BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX tracker_user_account ON tracker_user (account);
CREATE UNIQUE INDEX tracker_user_email ON tracker_user (org, email);

CREATE TABLE tracker_team (
    org           TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    key           TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    icon          TEXT    NOT NULL,
    color         TEXT    NOT NULL,
    private       BOOLEAN NOT NULL,
    parent        TEXT    NOT NULL,
    default_state TEXT    NOT NULL,
    triage_state  TEXT    NOT NULL,
    retired       BIGINT  NOT NULL,
    settings      TEXT    NOT NULL,
    created       BIGINT  NOT NULL,
    updated       BIGINT  NOT NULL,
    archived      BIGINT  NOT NULL,
    version       BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);

-- Every key that a team has or had; none is given twice.
CREATE TABLE tracker_team_key (
    org  TEXT NOT NULL,
    key  TEXT NOT NULL,
    team TEXT NOT NULL,
    PRIMARY KEY (org, key)
);

-- What grows with a team: numbers given, issues held, the top of its order.
CREATE TABLE tracker_team_counter (
    org      TEXT   NOT NULL,
    team     TEXT   NOT NULL,
    number   BIGINT NOT NULL,
    cycle    BIGINT NOT NULL,
    issues   BIGINT NOT NULL,
    archived BIGINT NOT NULL,
    top      REAL   NOT NULL,
    PRIMARY KEY (org, team)
);

CREATE TABLE tracker_member (
    org   TEXT    NOT NULL,
    team  TEXT    NOT NULL,
    user_id TEXT  NOT NULL,
    owner BOOLEAN NOT NULL,
    PRIMARY KEY (org, team, user_id)
);
CREATE INDEX tracker_member_user ON tracker_member (org, user_id);

CREATE TABLE tracker_state (
    org         TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    team        TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    name_key    TEXT   NOT NULL,
    color       TEXT   NOT NULL,
    description TEXT   NOT NULL,
    type        TEXT   NOT NULL,
    position    REAL   NOT NULL,
    created     BIGINT NOT NULL,
    updated     BIGINT NOT NULL,
    archived    BIGINT NOT NULL,
    version     BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX tracker_state_team ON tracker_state (org, team);

CREATE TABLE tracker_label (
    org          TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    team         TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    name_key     TEXT    NOT NULL,
    color        TEXT    NOT NULL,
    description  TEXT    NOT NULL,
    parent       TEXT    NOT NULL,
    is_group     BOOLEAN NOT NULL,
    group_type   TEXT    NOT NULL,
    creator      TEXT    NOT NULL,
    retired      BIGINT  NOT NULL,
    retired_by   TEXT    NOT NULL,
    last_applied BIGINT  NOT NULL,
    created      BIGINT  NOT NULL,
    updated      BIGINT  NOT NULL,
    archived     BIGINT  NOT NULL,
    version      BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX tracker_label_team ON tracker_label (org, team, name_key);
CREATE INDEX tracker_label_parent ON tracker_label (org, parent);

CREATE TABLE tracker_issue (
    org                 TEXT    NOT NULL,
    id                  TEXT    NOT NULL,
    team                TEXT    NOT NULL,
    number              BIGINT  NOT NULL,
    identifier          TEXT    NOT NULL,
    previous            TEXT    NOT NULL,
    title               TEXT    NOT NULL,
    description         TEXT    NOT NULL,
    priority            BIGINT  NOT NULL,
    estimate            REAL,
    sort_order          REAL    NOT NULL,
    priority_sort_order REAL    NOT NULL,
    sub_sort_order      REAL,
    state               TEXT    NOT NULL,
    assignee            TEXT    NOT NULL,
    creator             TEXT    NOT NULL,
    parent              TEXT    NOT NULL,
    project             TEXT    NOT NULL,
    cycle               TEXT    NOT NULL,
    due_date            TEXT    NOT NULL,
    label_ids           TEXT    NOT NULL,
    subscriber_ids      TEXT    NOT NULL,
    started             BIGINT  NOT NULL,
    completed           BIGINT  NOT NULL,
    canceled            BIGINT  NOT NULL,
    started_triage      BIGINT  NOT NULL,
    triaged             BIGINT  NOT NULL,
    added_to_team       BIGINT  NOT NULL,
    added_to_project    BIGINT  NOT NULL,
    added_to_cycle      BIGINT  NOT NULL,
    trashed             BOOLEAN NOT NULL,
    created             BIGINT  NOT NULL,
    updated             BIGINT  NOT NULL,
    archived            BIGINT  NOT NULL,
    version             BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX tracker_issue_number ON tracker_issue (org, team, number);
CREATE INDEX tracker_issue_created ON tracker_issue (org, created, id);
CREATE INDEX tracker_issue_updated ON tracker_issue (org, updated, id);
CREATE INDEX tracker_issue_team ON tracker_issue (org, team, created, id);
CREATE INDEX tracker_issue_state ON tracker_issue (org, state, created, id);
CREATE INDEX tracker_issue_creator ON tracker_issue (org, creator, created, id);
CREATE INDEX tracker_issue_assignee ON tracker_issue (org, assignee, created, id) WHERE assignee <> '';
CREATE INDEX tracker_issue_parent ON tracker_issue (org, parent, created, id) WHERE parent <> '';
CREATE INDEX tracker_issue_project ON tracker_issue (org, project, created, id) WHERE project <> '';
CREATE INDEX tracker_issue_cycle ON tracker_issue (org, cycle, created, id) WHERE cycle <> '';

-- Numbers that an issue had in teams it has left.
CREATE TABLE tracker_issue_alias (
    org    TEXT   NOT NULL,
    team   TEXT   NOT NULL,
    number BIGINT NOT NULL,
    issue  TEXT   NOT NULL,
    PRIMARY KEY (org, team, number)
);

CREATE TABLE tracker_issue_label (
    org   TEXT NOT NULL,
    issue TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (org, issue, label)
);
CREATE INDEX tracker_issue_label_label ON tracker_issue_label (org, label);

CREATE TABLE tracker_issue_subscriber (
    org     TEXT NOT NULL,
    issue   TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (org, issue, user_id)
);
CREATE INDEX tracker_issue_subscriber_user ON tracker_issue_subscriber (org, user_id);

CREATE TABLE tracker_comment (
    org               TEXT   NOT NULL,
    id                TEXT   NOT NULL,
    issue             TEXT   NOT NULL,
    project           TEXT   NOT NULL,
    team              TEXT   NOT NULL,
    parent            TEXT   NOT NULL,
    user_id           TEXT   NOT NULL,
    body              TEXT   NOT NULL,
    quoted_text       TEXT   NOT NULL,
    edited            BIGINT NOT NULL,
    resolved          BIGINT NOT NULL,
    resolving_user    TEXT   NOT NULL,
    resolving_comment TEXT   NOT NULL,
    created           BIGINT NOT NULL,
    updated           BIGINT NOT NULL,
    archived          BIGINT NOT NULL,
    version           BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE INDEX tracker_comment_issue ON tracker_comment (org, issue, created, id);
CREATE INDEX tracker_comment_project ON tracker_comment (org, project, created, id) WHERE project <> '';
CREATE INDEX tracker_comment_parent ON tracker_comment (org, parent, created, id) WHERE parent <> '';
CREATE INDEX tracker_comment_created ON tracker_comment (org, created, id);

CREATE TABLE tracker_project_status (
    org         TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    color       TEXT    NOT NULL,
    description TEXT    NOT NULL,
    type        TEXT    NOT NULL,
    position    REAL    NOT NULL,
    indefinite  BOOLEAN NOT NULL,
    created     BIGINT  NOT NULL,
    updated     BIGINT  NOT NULL,
    archived    BIGINT  NOT NULL,
    version     BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);

CREATE TABLE tracker_project (
    org                    TEXT    NOT NULL,
    id                     TEXT    NOT NULL,
    name                   TEXT    NOT NULL,
    slug_id                TEXT    NOT NULL,
    description            TEXT    NOT NULL,
    content                TEXT    NOT NULL,
    icon                   TEXT    NOT NULL,
    color                  TEXT    NOT NULL,
    status                 TEXT    NOT NULL,
    lead                   TEXT    NOT NULL,
    creator                TEXT    NOT NULL,
    priority               BIGINT  NOT NULL,
    sort_order             REAL    NOT NULL,
    priority_sort_order    REAL    NOT NULL,
    start_date             TEXT    NOT NULL,
    start_date_resolution  TEXT    NOT NULL,
    target_date            TEXT    NOT NULL,
    target_date_resolution TEXT    NOT NULL,
    started                BIGINT  NOT NULL,
    completed              BIGINT  NOT NULL,
    canceled               BIGINT  NOT NULL,
    trashed                BOOLEAN NOT NULL,
    team_ids               TEXT    NOT NULL,
    member_ids             TEXT    NOT NULL,
    settings               TEXT    NOT NULL,
    created                BIGINT  NOT NULL,
    updated                BIGINT  NOT NULL,
    archived               BIGINT  NOT NULL,
    version                BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX tracker_project_slug ON tracker_project (org, slug_id);

CREATE TABLE tracker_project_team (
    org     TEXT NOT NULL,
    project TEXT NOT NULL,
    team    TEXT NOT NULL,
    PRIMARY KEY (org, project, team)
);
CREATE INDEX tracker_project_team_team ON tracker_project_team (org, team);

CREATE TABLE tracker_project_member (
    org     TEXT NOT NULL,
    project TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (org, project, user_id)
);

CREATE TABLE tracker_cycle (
    org           TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    team          TEXT   NOT NULL,
    number        BIGINT NOT NULL,
    name          TEXT   NOT NULL,
    description   TEXT   NOT NULL,
    starts        BIGINT NOT NULL,
    ends          BIGINT NOT NULL,
    completed     BIGINT NOT NULL,
    uncompleted   TEXT   NOT NULL,
    auto_archived BIGINT NOT NULL,
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);
CREATE UNIQUE INDEX tracker_cycle_number ON tracker_cycle (org, team, number);

-- Issues that were open when their cycle ended.
CREATE TABLE tracker_cycle_uncompleted (
    org   TEXT NOT NULL,
    cycle TEXT NOT NULL,
    issue TEXT NOT NULL,
    PRIMARY KEY (org, cycle, issue)
);

CREATE TABLE tracker_webhook (
    org              TEXT    NOT NULL,
    id               TEXT    NOT NULL,
    label            TEXT    NOT NULL,
    url              TEXT    NOT NULL,
    secret           TEXT    NOT NULL,
    team             TEXT    NOT NULL,
    all_public_teams BOOLEAN NOT NULL,
    resource_types   TEXT    NOT NULL,
    enabled          BOOLEAN NOT NULL,
    creator          TEXT    NOT NULL,
    created          BIGINT  NOT NULL,
    updated          BIGINT  NOT NULL,
    archived         BIGINT  NOT NULL,
    version          BIGINT  NOT NULL,
    PRIMARY KEY (org, id)
);
