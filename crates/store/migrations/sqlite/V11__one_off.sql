-- A template that was made for one document: lists leave it out.
ALTER TABLE template ADD COLUMN one_off INTEGER NOT NULL DEFAULT 0 CHECK (one_off IN (0, 1));
