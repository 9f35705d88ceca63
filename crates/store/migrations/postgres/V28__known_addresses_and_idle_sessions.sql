-- Addresses from which a member has logged in: wrong passwords from elsewhere do not count against them. An address is stored
-- only as a keyed hash, made together with the member's account, so no two members share one.
CREATE TABLE known_address (
    company_id TEXT NOT NULL,
    member_id BIGINT NOT NULL,
    address BYTEA NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, address),
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
);

CREATE INDEX known_address_member ON known_address (company_id, member_id, seen_at);
CREATE INDEX known_address_seen ON known_address (seen_at);

-- When a session was last used: it also ends when it has been idle for too long.
ALTER TABLE member_session ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
UPDATE member_session SET seen_at = created_at;
CREATE INDEX member_session_seen ON member_session (seen_at);
