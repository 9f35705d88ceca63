-- The history of webhooks is kept for a time and within a bound for each company.
CREATE INDEX outbox_history ON outbox (company_id, finished_at, id) WHERE kind = 'webhook' AND finished_at IS NOT NULL;
