-- Who changed what for a company. Signers' acts are not here: they are in the audit trails of their documents.
CREATE SEQUENCE audit_log_id MAXVALUE 9007199254740991;

CREATE TABLE audit_log (
    id BIGINT PRIMARY KEY DEFAULT nextval('audit_log_id'),
    company_id TEXT NOT NULL REFERENCES company (id),
    at BIGINT NOT NULL,
    -- Without one, the operator.
    member_id BIGINT,
    channel TEXT NOT NULL CHECK (channel IN ('api', 'pages', 'command_line')),
    address TEXT,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- JSON objects of the values that changed.
    value_before TEXT,
    value_after TEXT,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
);

CREATE INDEX audit_log_company ON audit_log (company_id, id);
