-- Blocks may be in parts (the formats parted and partedGapped): how many bytes of columns the
-- questions need that read neither users nor sessions, and those that read owners.
-- 0 stands for all of them, in blocks of earlier formats.
ALTER TABLE event_block ADD COLUMN head BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event_block ADD COLUMN owned BIGINT NOT NULL DEFAULT 0;
