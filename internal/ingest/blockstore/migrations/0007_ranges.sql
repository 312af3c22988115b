-- What lists need of blocks before they read them stands in the index: a block
-- itself fills several pages.
DROP INDEX event_block_time;
CREATE INDEX event_block_time ON event_block (project, max_ms, min_ms, seq);
