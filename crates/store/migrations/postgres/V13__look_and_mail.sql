-- How a company shows itself: a colour (#rrggbb), a logo, and what it chooses about its mails.
ALTER TABLE company ADD COLUMN IF NOT EXISTS accent TEXT;
ALTER TABLE company ADD COLUMN IF NOT EXISTS logo BYTEA;
ALTER TABLE company ADD COLUMN IF NOT EXISTS logo_width BIGINT;
ALTER TABLE company ADD COLUMN IF NOT EXISTS logo_height BIGINT;
ALTER TABLE company ADD COLUMN IF NOT EXISTS mail_sender_name TEXT;
ALTER TABLE company ADD COLUMN IF NOT EXISTS mail_reply_to TEXT;
ALTER TABLE company ADD COLUMN IF NOT EXISTS completed_mails TEXT NOT NULL DEFAULT 'writers,copies,sender';
ALTER TABLE company ADD COLUMN IF NOT EXISTS remind_every_days BIGINT CHECK (remind_every_days BETWEEN 1 AND 3650);
ALTER TABLE company ADD COLUMN IF NOT EXISTS remind_before_days BIGINT CHECK (remind_before_days BETWEEN 1 AND 3650);

-- Logos (PNG) by the SHA-256 of their bytes. One that was replaced stays for mails that wait.
CREATE TABLE IF NOT EXISTS company_logo (
    company_id TEXT NOT NULL REFERENCES company (id),
    hash BYTEA NOT NULL,
    png BYTEA NOT NULL,
    replaced_at BIGINT,
    PRIMARY KEY (company_id, hash)
);

-- When to look again whether the writers are to be reminded: never later than a reminder is due.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS reminder_look BIGINT NOT NULL DEFAULT 0;
