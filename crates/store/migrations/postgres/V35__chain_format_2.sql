-- The texts that an entry's payload commits to, each with its salt, as JSON: [{"salt", "text"}]. They are not hashed with the
-- entry, so one can be erased. NULL in chains of format 1, whose payloads contain them.
ALTER TABLE audit_entry ADD COLUMN texts TEXT;

-- Chains that began before this go on with format 1.
ALTER TABLE workflow ADD COLUMN chain_format INTEGER NOT NULL DEFAULT 1 CHECK (chain_format IN (1, 2));

-- An HMAC of the chain's head, with a key derived from the master key. Earlier workflows get one on first use.
ALTER TABLE workflow ADD COLUMN chain_code BYTEA CHECK (chain_format = 1 OR chain_code IS NOT NULL);
