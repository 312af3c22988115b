-- wake: when the environment must be opened by itself, in microseconds of real
-- time: 0 is never, 1 is at the next start, because it is open or has work to do.
ALTER TABLE environment ADD COLUMN wake BIGINT NOT NULL DEFAULT 0;
-- ephemeral: it ends with the program.
ALTER TABLE environment ADD COLUMN ephemeral BOOLEAN NOT NULL DEFAULT FALSE;
-- position: where the id source of a seeded one stood when the copy was made.
ALTER TABLE environment ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
CREATE INDEX environment_wake ON environment (wake) WHERE wake > 0;
CREATE INDEX environment_expires ON environment (expires) WHERE expires > 0;
