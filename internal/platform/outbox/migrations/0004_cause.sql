-- What caused an event: the number of the request, and the place in a
-- distributed trace that its receivers are told.
ALTER TABLE outbox_event ADD COLUMN cause_seq BIGINT NOT NULL DEFAULT 0; -- 0: no request
ALTER TABLE outbox_event ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';
