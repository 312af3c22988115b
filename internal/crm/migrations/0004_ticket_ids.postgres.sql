-- The words of a ticket include its id from here on.
INSERT INTO crm_fts_word (portal, word) SELECT portal, CAST(id AS VARCHAR) FROM crm_record WHERE type = 5 AND archived = 0 ON CONFLICT DO NOTHING;
UPDATE crm_fts f SET words = f.words || CAST('''' || r.portal || 't5_' || r.id || '''' AS TSVECTOR)
    FROM crm_record r WHERE r.type = 5 AND r.archived = 0 AND r.id = f.id;
