-- Where the sign-in page may send people beside addresses on loopback: a JSON array.
ALTER TABLE crm_client ADD COLUMN redirect_uris TEXT NOT NULL DEFAULT '[]';
