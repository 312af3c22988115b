-- storage: what the names of the databases contain, which is the id unless that was chosen.
ALTER TABLE environment ADD COLUMN storage TEXT NOT NULL DEFAULT '';
UPDATE environment SET storage = id;
CREATE INDEX environment_name ON environment (name);
