-- An IANA zone, or an offset as `+HH:MM`. Companies at +09:00 live in Korea or Japan; other offsets stay until somebody chooses
-- a zone. Workflows keep theirs.
ALTER TABLE company ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'Asia/Seoul';

UPDATE company SET time_zone = CASE
    WHEN utc_offset = 32400 AND language = 'ja' THEN 'Asia/Tokyo'
    WHEN utc_offset = 32400 THEN 'Asia/Seoul'
    ELSE (CASE WHEN utc_offset < 0 THEN '-' ELSE '+' END) || lpad((abs(utc_offset) / 3600)::TEXT, 2, '0')
        || ':' || lpad((abs(utc_offset) / 60 % 60)::TEXT, 2, '0')
END;

ALTER TABLE company DROP COLUMN utc_offset;

ALTER TABLE workflow ADD COLUMN time_zone TEXT NOT NULL DEFAULT '+09:00';

UPDATE workflow SET time_zone = (CASE WHEN offset_seconds < 0 THEN '-' ELSE '+' END)
    || lpad((abs(offset_seconds) / 3600)::TEXT, 2, '0') || ':' || lpad((abs(offset_seconds) / 60 % 60)::TEXT, 2, '0')
WHERE offset_seconds <> 32400;

ALTER TABLE workflow DROP COLUMN offset_seconds;
