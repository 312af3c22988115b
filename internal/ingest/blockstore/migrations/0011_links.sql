-- The sessions of a block are noted together with those of the blocks after it: event_session
-- and event_session_block have those of the blocks that begin below linked. The session without
-- an id has those that were damaged.
ALTER TABLE event_counter ADD COLUMN linked BIGINT NOT NULL DEFAULT 1;
UPDATE event_counter SET linked = next WHERE id = 1;
