-- An event holds who is to be told of it, so that a change costs no further
-- row for each of them. outbox_delivery holds only deliveries of which more is
-- known than that they wait: tried, ended, or queued again.
ALTER TABLE outbox_event ADD COLUMN told BIGINT NOT NULL DEFAULT 0; -- how many are to be told
ALTER TABLE outbox_event ADD COLUMN targets TEXT NOT NULL DEFAULT ''; -- JSON: destination, note, destination, note, …

UPDATE outbox_event SET
    told = (SELECT count(*) FROM outbox_delivery d WHERE d.id / 1048576 = seq),
    targets = (SELECT '[' || group_concat(json_quote(destination) || ',' || json_quote(note)) || ']'
        FROM (SELECT destination, note FROM outbox_delivery d WHERE d.id / 1048576 = seq ORDER BY id))
    WHERE seq IN (SELECT id / 1048576 FROM outbox_delivery);

CREATE TABLE outbox_state (
    name TEXT   PRIMARY KEY, -- undelivered: no event before this one waits to be delivered
    seq  BIGINT NOT NULL
) WITHOUT ROWID;
