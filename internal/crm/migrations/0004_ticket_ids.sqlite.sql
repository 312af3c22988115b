-- The words of a ticket include its id from here on.
INSERT INTO crm_fts_pending (id) SELECT id FROM crm_record WHERE type = 5 AND archived = 0 ON CONFLICT DO NOTHING;
