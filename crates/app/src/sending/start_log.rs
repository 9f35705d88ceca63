//! The audit log entry of a start.

use domain::TemplateId;
use jiff::Timestamp;
use serde_json::json;

use crate::base::actor::Permit;
use crate::base::audit_log::Action;
use crate::sending::start::Record;

/// Writes the entry in the start's transaction. A template that is created for one document has no ID before.
pub(in crate::sending) fn logging_start(by: Permit<'_>, template: Option<TemplateId>, at: Timestamp) -> Record {
    let logged = by
        .logs(Action::WorkflowStarted, at)
        .setting(&json!({"template": template}));
    Box::new(move |tx, workflow, _| logged.clone().about(workflow).write(tx))
}
