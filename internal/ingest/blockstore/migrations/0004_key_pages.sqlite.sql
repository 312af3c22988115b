-- Runs are merged: pages is the number in event_key_page that the pages of a run
-- have, 0 for upto; keys is how many there are, 0 in runs of earlier versions.
ALTER TABLE event_key_run ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event_key_run ADD COLUMN keys BIGINT NOT NULL DEFAULT 0;
