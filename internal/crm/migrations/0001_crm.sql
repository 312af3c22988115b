-- Portals are the tenants. version grows with each change of definitions, so
-- that a write can tell whether what it was checked against still holds.
CREATE TABLE crm_portal (
    id       BIGINT NOT NULL PRIMARY KEY,
    name     TEXT   NOT NULL,
    tier     TEXT   NOT NULL,
    currency TEXT   NOT NULL,
    version  BIGINT NOT NULL,
    created  BIGINT NOT NULL
);

-- Counters of the world. Who makes records takes the row "record" first, which
-- puts the makers of records in an order and keeps unique values unique.
CREATE TABLE crm_sequence (
    name TEXT   NOT NULL PRIMARY KEY,
    next BIGINT NOT NULL
);

-- The people of a portal; each is an owner of records.
CREATE TABLE crm_user (
    portal     BIGINT NOT NULL,
    id         BIGINT NOT NULL,
    owner      BIGINT NOT NULL,
    account    TEXT   NOT NULL,
    email      TEXT   NOT NULL,
    first_name TEXT   NOT NULL,
    last_name  TEXT   NOT NULL,
    created    BIGINT NOT NULL,
    updated    BIGINT NOT NULL,
    archived   BIGINT NOT NULL,
    PRIMARY KEY (portal, id)
);
CREATE UNIQUE INDEX crm_user_owner ON crm_user (portal, owner);

-- Records. properties is the JSON object of the values as they go out, in
-- order of names, without those that are columns. archived is a time or 0;
-- merged is the survivor's id or 0. Ids are unique in the world.
CREATE TABLE crm_record (
    portal     BIGINT NOT NULL,
    type       BIGINT NOT NULL,
    id         BIGINT NOT NULL,
    created    BIGINT NOT NULL,
    updated    BIGINT NOT NULL,
    archived   BIGINT NOT NULL,
    merged     BIGINT NOT NULL,
    source     TEXT   NOT NULL,
    source_id  TEXT   NOT NULL,
    properties TEXT   NOT NULL,
    PRIMARY KEY (portal, type, id)
);
CREATE INDEX crm_record_created ON crm_record (portal, type, created, id) WHERE archived = 0;
CREATE INDEX crm_record_updated ON crm_record (portal, type, updated, id) WHERE archived = 0;
CREATE INDEX crm_record_archived ON crm_record (portal, type, id) WHERE archived <> 0;

-- How many live records there are.
CREATE TABLE crm_tally (
    portal BIGINT NOT NULL,
    type   BIGINT NOT NULL,
    live   BIGINT NOT NULL,
    PRIMARY KEY (portal, type)
);

-- The values of live records in a form that compares as the property does:
-- text in lower case, numbers as ordered digits, times as ISO 8601. A property
-- with several values has a row for each.
CREATE TABLE crm_value (
    portal   BIGINT NOT NULL,
    property BIGINT NOT NULL,
    value    TEXT   NOT NULL,
    record   BIGINT NOT NULL,
    PRIMARY KEY (portal, property, value, record)
) WITHOUT ROWID;

-- What an update replaced: a JSON object of the former values, null for none.
-- The creation needs no row, since the record and its revisions tell it.
CREATE TABLE crm_revision (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    portal    BIGINT NOT NULL,
    record    BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    source    TEXT   NOT NULL,
    source_id TEXT   NOT NULL,
    user_id   BIGINT NOT NULL,
    before    TEXT   NOT NULL
);
CREATE INDEX crm_revision_record ON crm_revision (portal, record, seq);

-- Links between records, a row for each direction and type. The types of the
-- two rows of a link are each other's inverse.
CREATE TABLE crm_association (
    portal      BIGINT NOT NULL,
    from_record BIGINT NOT NULL,
    to_type     BIGINT NOT NULL,
    to_record   BIGINT NOT NULL,
    type_id     BIGINT NOT NULL,
    from_type   BIGINT NOT NULL,
    PRIMARY KEY (portal, from_record, to_type, to_record, type_id)
) WITHOUT ROWID;

-- Property definitions of the portal's own, and changed ones of the standard set.
CREATE TABLE crm_property (
    portal     BIGINT NOT NULL,
    type       BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    definition TEXT   NOT NULL,
    created    BIGINT NOT NULL,
    updated    BIGINT NOT NULL,
    archived   BIGINT NOT NULL,
    PRIMARY KEY (portal, type, name)
);

CREATE TABLE crm_group (
    portal        BIGINT NOT NULL,
    type          BIGINT NOT NULL,
    name          TEXT   NOT NULL,
    label         TEXT   NOT NULL,
    display_order BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    PRIMARY KEY (portal, type, name)
);

CREATE TABLE crm_pipeline (
    portal        BIGINT NOT NULL,
    type          BIGINT NOT NULL,
    id            TEXT   NOT NULL,
    label         TEXT   NOT NULL,
    display_order BIGINT NOT NULL,
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    PRIMARY KEY (portal, type, id)
);

-- Stages; metadata is a JSON object of strings.
CREATE TABLE crm_stage (
    portal        BIGINT NOT NULL,
    type          BIGINT NOT NULL,
    id            TEXT   NOT NULL,
    pipeline      TEXT   NOT NULL,
    label         TEXT   NOT NULL,
    display_order BIGINT NOT NULL,
    metadata      TEXT   NOT NULL,
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    archived      BIGINT NOT NULL,
    PRIMARY KEY (portal, type, id)
);

-- What was done to pipelines and stages; raw is the thing after the act, as JSON.
CREATE TABLE crm_audit (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    portal     BIGINT NOT NULL,
    type       BIGINT NOT NULL,
    kind       TEXT   NOT NULL,
    identifier TEXT   NOT NULL,
    action     TEXT   NOT NULL,
    user_id    BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    raw        TEXT   NOT NULL
);
CREATE INDEX crm_audit_identifier ON crm_audit (portal, type, kind, identifier, seq);

-- OAuth: registered clients, codes and refresh tokens, by the sha256 of their text.
CREATE TABLE crm_client (
    id          TEXT   NOT NULL PRIMARY KEY,
    portal      BIGINT NOT NULL,
    app         BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    secret_hash TEXT   NOT NULL
);
CREATE TABLE crm_grant (
    hash         TEXT   NOT NULL PRIMARY KEY,
    kind         TEXT   NOT NULL,
    client       TEXT   NOT NULL,
    portal       BIGINT NOT NULL,
    user_id      BIGINT NOT NULL,
    scopes       TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    challenge    TEXT   NOT NULL,
    expires      BIGINT NOT NULL
);
