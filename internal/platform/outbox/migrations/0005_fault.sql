-- What a fault rule did to a delivery last: the rule's id, a blank and what it did.
ALTER TABLE outbox_delivery ADD COLUMN fault TEXT NOT NULL DEFAULT '';
