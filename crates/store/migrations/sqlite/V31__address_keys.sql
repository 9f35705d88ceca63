-- Keys of addresses fold ASCII letters only: others fold onto those of another address (U+212A onto k). Of the addresses of
-- before, only those with other letters change. lower() folds ASCII here, and trimming all but the last @ leaves what stands
-- up to it. A domain is ASCII in a key already; of quotes around a name, which is ASCII then, a key has none.
UPDATE recipient SET contact_key =
        lower(rtrim(rtrim(contact, replace(contact, '@', '')), '@')) ||
        substr(contact_key, length(rtrim(contact_key, replace(contact_key, '@', ''))))
    WHERE phone IS NULL AND length(CAST(contact AS BLOB)) <> length(contact) AND contact LIKE '%@%' AND contact NOT LIKE '"%';

UPDATE member SET email_key = lower(email) WHERE length(CAST(email AS BLOB)) <> length(email);
