-- How a company shows itself: a colour (#rrggbb), a logo, and what it chooses about its mails.
ALTER TABLE company ADD COLUMN accent TEXT;
ALTER TABLE company ADD COLUMN logo BLOB;
ALTER TABLE company ADD COLUMN logo_width INTEGER;
ALTER TABLE company ADD COLUMN logo_height INTEGER;
ALTER TABLE company ADD COLUMN mail_sender_name TEXT;
ALTER TABLE company ADD COLUMN mail_reply_to TEXT;
ALTER TABLE company ADD COLUMN completed_mails TEXT NOT NULL DEFAULT 'writers,copies,sender';
ALTER TABLE company ADD COLUMN remind_every_days INTEGER CHECK (remind_every_days BETWEEN 1 AND 3650);
ALTER TABLE company ADD COLUMN remind_before_days INTEGER CHECK (remind_before_days BETWEEN 1 AND 3650);

-- Logos (PNG) by the SHA-256 of their bytes. One that was replaced stays for mails that wait.
CREATE TABLE company_logo (
    company_id TEXT NOT NULL REFERENCES company (id),
    hash BLOB NOT NULL,
    png BLOB NOT NULL,
    replaced_at INTEGER,
    PRIMARY KEY (company_id, hash)
) STRICT;

-- When to look again whether the writers are to be reminded: never later than a reminder is due.
ALTER TABLE workflow ADD COLUMN reminder_look INTEGER NOT NULL DEFAULT 0;
