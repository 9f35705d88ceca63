-- Processes that claim deliveries and bulk sends. Each adds one to its `beat` every two seconds; one whose number stands still is
-- dead, and the others take its claims back. No clock is compared with another.
CREATE TABLE node (
    name TEXT NOT NULL PRIMARY KEY,
    beat INTEGER NOT NULL
) STRICT;
