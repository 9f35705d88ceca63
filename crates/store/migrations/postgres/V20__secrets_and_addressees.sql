-- The secrets of webhooks before earlier rotations, encrypted, each with the end of its day: JSON. Without this column's entries
-- previous_secret is the only one.
ALTER TABLE api_client ADD COLUMN IF NOT EXISTS retired_secrets TEXT NOT NULL DEFAULT '[]';

-- What the visitor's address is known by, so that nobody is sent too much; person is that where each may use the link once.
ALTER TABLE public_link_use ADD COLUMN IF NOT EXISTS addressee TEXT;
CREATE INDEX IF NOT EXISTS public_link_use_addressee ON public_link_use (addressee, at);
