-- Whether finished documents show on their pages that they are sealed.
ALTER TABLE company ADD COLUMN IF NOT EXISTS seal_mark TEXT NOT NULL DEFAULT 'none'
    CHECK (seal_mark IN ('none', 'last-page', 'every-page'));
