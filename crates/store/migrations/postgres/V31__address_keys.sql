-- Keys of addresses fold ASCII letters only: others fold onto those of another address (U+212A onto k). Of the addresses of
-- before, only those with other letters change. In the collation "C" lower() folds ASCII. A domain is ASCII in a key already;
-- of quotes around a name, which is ASCII then, a key has none.
UPDATE recipient SET contact_key =
        lower(regexp_replace(contact, '@[^@]*$', '') COLLATE "C") || substring(contact_key from '@[^@]*$')
    WHERE phone IS NULL AND octet_length(contact) <> char_length(contact) AND contact LIKE '%@%' AND contact NOT LIKE '"%';

UPDATE member SET email_key = lower(email COLLATE "C") WHERE octet_length(email) <> char_length(email);
