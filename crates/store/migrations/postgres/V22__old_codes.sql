-- Letters of before V19 do not say whether they hold a one-time code. Each is looked at once when a code of its day is dead
-- (ten minutes); that takes the code out, and leaves what holds none as it is.
UPDATE outbox SET erase_at = created_at + 600000000 WHERE receiver IN (':mail', ':gateway/') AND erase_at IS NULL;
