-- The fonts that a workflow was started with, besides those that are part of the program: the hashes of their files, with blanks
-- between them, in the order in which they are asked. NULL: an earlier version started it, and it uses those of the moment.
ALTER TABLE workflow ADD COLUMN added_fonts TEXT;
