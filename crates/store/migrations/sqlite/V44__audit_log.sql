-- Who changed what for a company. Signers' acts are not here: they are in the audit trails of their documents.
CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    at INTEGER NOT NULL,
    -- Without one, the operator.
    member_id INTEGER,
    channel TEXT NOT NULL CHECK (channel IN ('api', 'pages', 'command_line')),
    address TEXT,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- JSON objects of the values that changed.
    value_before TEXT,
    value_after TEXT,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
) STRICT;

CREATE INDEX audit_log_company ON audit_log (company_id, id);
