-- A template that was made for one document: lists leave it out.
ALTER TABLE template ADD COLUMN IF NOT EXISTS one_off BOOLEAN NOT NULL DEFAULT FALSE;
