-- What waits is claimed lane by lane: for each receiver and company the few that are due first, and nothing of the others.
CREATE INDEX IF NOT EXISTS outbox_lane ON outbox (receiver, company_id, due_at, id) WHERE state = 'waiting';
DROP INDEX IF EXISTS outbox_due;
-- A receiver is a host, whatever the port; the mail server and each gateway are receivers of their own.
UPDATE outbox SET receiver = CASE kind
        WHEN 'webhook' THEN rtrim(rtrim(receiver, '0123456789'), ':')
        WHEN 'mail' THEN ':mail'
        ELSE ':gateway/'
    END;
-- Letters are paged through and forgotten as webhooks are.
CREATE INDEX IF NOT EXISTS outbox_letter ON outbox (company_id, id) WHERE kind <> 'webhook';
CREATE INDEX IF NOT EXISTS outbox_letter_history ON outbox (company_id, finished_at, id)
    WHERE kind <> 'webhook' AND finished_at IS NOT NULL;
-- When a one-time code is taken out of its letter; NULL where there is none, or none any more.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS erase_at BIGINT;
CREATE INDEX IF NOT EXISTS outbox_erase ON outbox (erase_at) WHERE erase_at IS NOT NULL;
-- It was switched on, and what had been held for it is let go a portion at a time.
ALTER TABLE endpoint ADD COLUMN IF NOT EXISTS letting_go BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX IF NOT EXISTS endpoint_letting_go ON endpoint (company_id, url) WHERE letting_go;
