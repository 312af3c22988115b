-- Questions read the beginning of the columns of many blocks. The server reads only as much of
-- a long value as is asked for where it has not compressed it. Few of them become shorter by that.
ALTER TABLE event_block ALTER COLUMN columns SET STORAGE EXTERNAL;
