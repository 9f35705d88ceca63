-- A search by a value reads its matches newest first, and no more of them than a page holds.
DROP INDEX field_value_by_value;
CREATE INDEX field_value_by_value ON field_value (wire_hash, field_name, company_id, workflow_id);
