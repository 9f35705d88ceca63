-- Excerpts are kept now of what receivers, mail servers and gateways say, and nothing of what they say of a one-time code. Earlier
-- versions left out less, and which of the old letters were codes their rows do not tell, so none of it is kept.
UPDATE delivery_try SET answer = '' WHERE answer <> '';
UPDATE delivery_try SET fault = 'not kept' WHERE fault IS NOT NULL
    AND delivery_id IN (SELECT id FROM outbox WHERE kind IN ('mail', 'message'));
