-- Before there are statistics, an index that begins with the company competes with the key (company_id, id): a lookup by the
-- key, and each proof of a reference to a workflow, then walked all of the company's rows. These begin with what only those
-- give who search by it.
DROP INDEX workflow_by_status;
CREATE INDEX workflow_by_status ON workflow (status, company_id, id);
DROP INDEX workflow_by_template;
CREATE INDEX workflow_by_template ON workflow (template_id, id);
DROP INDEX field_value_by_value;
CREATE INDEX field_value_by_value ON field_value (wire_hash, field_name, company_id);
