//! The request and the response of a start.

use domain::TemplateId;
use serde::{Deserialize, Serialize};

use crate::base::error::{Fault, FaultCode};
use crate::outbox::webhook::NextWriter;
use crate::values::value::GivenField;

const LONGEST_KEY: usize = 255;

/// A request to start a workflow, before it is checked. `faults` contains the faults found while reading it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartRequest {
    /// The document's name.
    pub workflow_name: Option<String>,
    pub template_id: Option<TemplateId>,
    /// The signers (`recipient_list`).
    pub recipients: Vec<StartRecipient>,
    /// Values set by the sender (`field_list`).
    pub fields: Vec<GivenField>,
    /// `YYYY-MM-DD HH:MM:SS` in the request's offset. A date alone means the end of that day.
    pub expiry_date: Option<String>,
    /// `ko` or `ko-KR`.
    pub language: Option<String>,
    /// The sender's message to the signers.
    pub comment: Option<String>,
    /// People who are notified at the end (`cc_list`).
    pub cc: Vec<StartCopy>,
    /// Settings of the webhooks (`export_api_info`).
    pub export: Option<StartExport>,
    /// Where the signing page leads a signer who has signed.
    #[serde(default)]
    pub redirect_url: Option<String>,
    /// Whether to start nothing and only return a URL with a preview.
    pub is_preview: bool,
    /// The `offset` parameter of the query.
    pub offset: Option<String>,
    #[serde(skip)]
    pub idempotency: Option<Idempotency>,
    /// Faults found while reading the request.
    #[serde(skip)]
    pub faults: Vec<Fault>,
}

/// A recipient in the request.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartRecipient {
    /// The step.
    pub order: Option<u32>,
    /// The role, if the step has several.
    pub role: Option<String>,
    pub name: Option<String>,
    /// The e-mail address or telephone number.
    pub email: Option<String>,
    /// The recipient's language, if it differs from the workflow's.
    pub language: Option<String>,
    /// A telephone number in addition to the e-mail address.
    pub mobile: Option<String>,
    /// The company for which they sign.
    pub company: Option<String>,
    /// The access code.
    pub password: Option<String>,
    /// A hint for the access code.
    pub password_hint: Option<String>,
    /// Whether they must enter a code that is sent to their own address. If the template requires one, this cannot turn
    /// it off.
    pub one_time_code: Option<bool>,
}

impl std::fmt::Debug for StartRecipient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartRecipient")
            .field("order", &self.order)
            .field("role", &self.role)
            .field("name", &self.name)
            .field("email", &self.email)
            .finish_non_exhaustive()
    }
}

/// A person who is notified at the end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartCopy {
    pub name: Option<String>,
    /// The e-mail address or telephone number.
    pub email: Option<String>,
}

/// `export_api_info`, before it is checked.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct StartExport {
    /// The endpoint's URL.
    pub url: Option<String>,
    /// `ALL` or `StartAndEnd`.
    pub api_type: Option<String>,
    /// Whether to use embedded mode.
    pub is_embed: Option<bool>,
    /// `viewer` or `download`.
    pub link_type: Option<String>,
    /// The webhooks' Authorization header.
    pub authorization: Option<String>,
    /// The API client. Default: the company's default client.
    pub client_id: Option<String>,
    /// New names for fields in webhooks.
    pub field_names: Vec<StartFieldName>,
}

impl std::fmt::Debug for StartExport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartExport")
            .field("url", &self.url)
            .field("api_type", &self.api_type)
            .finish_non_exhaustive()
    }
}

/// A new name for a field, before it is checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartFieldName {
    /// The field's name in the template.
    pub field_name: Option<String>,
    /// The field's name in webhooks.
    pub new_name: Option<String>,
}

/// The idempotency key of a request, which is executed only once.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// The key that the caller chose.
    pub key: String,
    /// SHA-256 of everything that must be equal in a repeated request: the body, and the offset of its dates.
    pub request_hash: [u8; 32],
}

impl Idempotency {
    /// Returns the fault of the key.
    pub(crate) fn fault(&self) -> Option<Fault> {
        if self.key.is_empty() {
            Some(Fault::new("Idempotency-Key", FaultCode::Required))
        } else if self.key.chars().count() > LONGEST_KEY {
            Some(Fault::new("Idempotency-Key", FaultCode::TooLong).with("max", LONGEST_KEY))
        } else {
            None
        }
    }
}

/// The response to a start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Started {
    /// The workflow was started.
    Workflow(StartedWorkflow),
    /// Nothing was started.
    Preview {
        /// The URL of a preview of the document.
        preview_url: String,
        /// The paths of members of the request that we ignored, such as `is_embed` next to `export_api_info` instead of
        /// in it. At most 100. Absent if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ignored_members: Vec<String>,
    },
}

/// A workflow that was started.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StartedWorkflow {
    /// The ID of the workflow.
    pub workflow_id: i64,
    /// The name of the workflow.
    pub workflow_name: String,
    /// `ko-KR`, `en-US` or `ja-JP`.
    pub language: String,
    /// The name of the signer whose turn it is.
    pub next_name: String,
    /// The e-mail address or telephone number of this signer.
    pub next_email: String,
    /// In embedded mode, the first signer's token. Otherwise, a token that opens the sender's view.
    pub token: String,
    /// The first signer's signing link. Only in embedded mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_url: Option<String>,
    /// All signers of the first step, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_list: Option<Vec<NextWriter>>,
}

impl std::fmt::Debug for StartedWorkflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedWorkflow")
            .field("workflow_id", &self.workflow_id)
            .finish_non_exhaustive()
    }
}
