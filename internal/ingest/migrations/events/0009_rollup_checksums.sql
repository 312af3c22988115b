-- Rows show whether they are as they were written: checksum is that of all columns
-- but the sketch, which ends with a checksum of its own. Rows of earlier versions
-- have 0 and no checksum in the sketch; the next change of a row adds both.
ALTER TABLE ingest_rollup ADD COLUMN checksum BIGINT NOT NULL DEFAULT 0;
