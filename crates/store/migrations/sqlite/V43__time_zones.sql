-- An IANA zone, or an offset as `+HH:MM`. Companies at +09:00 live in Korea or Japan; other offsets stay until somebody chooses
-- a zone. Workflows keep theirs.
ALTER TABLE company ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'Asia/Seoul';

UPDATE company SET time_zone = CASE
    WHEN utc_offset = 32400 AND language = 'ja' THEN 'Asia/Tokyo'
    WHEN utc_offset = 32400 THEN 'Asia/Seoul'
    ELSE printf('%s%02d:%02d', iif(utc_offset < 0, '-', '+'), abs(utc_offset) / 3600, abs(utc_offset) / 60 % 60)
END;

ALTER TABLE company DROP COLUMN utc_offset;

ALTER TABLE workflow ADD COLUMN time_zone TEXT NOT NULL DEFAULT '+09:00';

UPDATE workflow SET time_zone =
    printf('%s%02d:%02d', iif(offset_seconds < 0, '-', '+'), abs(offset_seconds) / 3600, abs(offset_seconds) / 60 % 60)
WHERE offset_seconds <> 32400;

ALTER TABLE workflow DROP COLUMN offset_seconds;
