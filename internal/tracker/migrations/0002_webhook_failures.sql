-- Deliveries given up one after another since the last that was taken.
ALTER TABLE tracker_webhook ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
