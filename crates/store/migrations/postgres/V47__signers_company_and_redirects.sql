-- The company for which a signer signs, and where the signing page leads at the end. Signers of documents that were sent
-- before have no company of their own.
ALTER TABLE recipient ADD COLUMN company TEXT;
ALTER TABLE workflow ADD COLUMN redirect_url TEXT;
-- The hosts to which starts may lead signers, separated by blanks.
ALTER TABLE company ADD COLUMN redirect_hosts TEXT NOT NULL DEFAULT '';
