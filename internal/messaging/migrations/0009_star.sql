-- The conversations that a member keeps at the top of the list.
ALTER TABLE msg_member ADD COLUMN starred BOOLEAN NOT NULL DEFAULT FALSE;
