-- Whether what is done with a session counts as the agent's work, and not as that
-- of a person.
ALTER TABLE auth_acting ADD COLUMN agent BOOLEAN NOT NULL DEFAULT FALSE;
