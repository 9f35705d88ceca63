-- The page of failed messages, and their count, must not read all messages that were ever sent.
CREATE INDEX outbox_failed_message ON outbox (company_id, id) WHERE state = 'dead' AND kind <> 'webhook';
