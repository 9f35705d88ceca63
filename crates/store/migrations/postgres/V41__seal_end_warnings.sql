-- How many days before its end the owners of a company were warned last that its seal certificate ends.
ALTER TABLE seal_key ADD COLUMN warned_days BIGINT;
