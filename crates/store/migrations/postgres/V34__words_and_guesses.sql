-- Excerpts are kept now of what receivers, mail servers and gateways say, and nothing of what they say of a one-time code. Earlier
-- versions left out less, and which of the old letters were codes their rows do not tell, so none of it is kept.
UPDATE delivery_try SET answer = '' WHERE answer <> '';
UPDATE delivery_try SET fault = 'not kept' WHERE fault IS NOT NULL
    AND delivery_id IN (SELECT id FROM outbox WHERE kind IN ('mail', 'message'));

-- The SHA-256 of what the form contained in which a one-time code was entered: only that form may send it again.
ALTER TABLE recipient ADD COLUMN one_time_used_by BYTEA;

-- When wrong one-time codes were entered that were sent to one contact, which is stored only as a keyed hash: a JSON list of
-- seconds since 1970, in the order in which they were entered.
CREATE TABLE wrong_code (
    company_id TEXT NOT NULL REFERENCES company (id),
    contact BYTEA NOT NULL,
    times TEXT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, contact)
);

CREATE INDEX wrong_code_last ON wrong_code (last_at);
