//! `POST /api/v3/templates/{id}/copy`: copies a template.

use app::SavedTemplate;
use axum::Json;
use axum::extract::State;

use crate::api::path::TemplatePath;
use crate::body::declared::declare;
use crate::body::json::OptionalJsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{AnswerLanguage, Failure, Problem};
use crate::frame::state::Http;

declare! {
    /// The copy's name.
    #[schema(example = json!({"name": "Contract 2027"}))]
    CopyTemplateInput -> (Option<String>,) {
        /// The name. Default: the template's name.
        #[schema(min_length = 1, max_length = 128)]
        name: Option<String> => 0,
    }
}

/// Copy a template.
///
/// The copy has the PDF, steps and fields of the current version, and starts at version 1. You can also copy an
/// archived template. The copy is not archived.
#[utoipa::path(
    post, path = "/api/v3/templates/{id}/copy", operation_id = "templates_copy", tag = "Templates",
    params(("id" = i64, Path, description = "The template's ID.")),
    request_body = CopyTemplateInput,
    responses(
        (status = 200, description = "The copy was created.", body = SavedTemplate),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn copy_template(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    TemplatePath(id): TemplatePath,
    AnswerLanguage(language): AnswerLanguage,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<Json<SavedTemplate>, Failure> {
    let mut faults = Faults::default();
    let (name,) = body.request::<CopyTemplateInput>(&mut faults)?;
    faults.check()?;
    let copied = http
        .blocking(move |app| app.copy_template(&caller, id, name.as_deref()))
        .await?;
    Ok(Json(SavedTemplate::new(language, copied)))
}
