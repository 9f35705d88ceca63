//! `PUT /api/v3/templates/{id}`: creates a new version of a template.

use app::{SavedTemplate, TemplateFields};
use axum::Json;
use axum::extract::{Request, State};

use super::form::{Given, TemplateForm};
use crate::api::path::TemplatePath;
use crate::frame::caller::Authenticated;
use crate::frame::problem::{AnswerLanguage, Failure, Problem};
use crate::frame::state::Http;

/// Create a new version of a template.
///
/// New documents use the new version. Documents in progress keep the version they started with. Without `file`, the PDF
/// stays the same and only the fields are replaced.
#[utoipa::path(
    put, path = "/api/v3/templates/{id}", operation_id = "templates_replace", tag = "Templates",
    params(("id" = i64, Path, description = "The template's ID.")),
    request_body(content = TemplateForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The new version was created.", body = SavedTemplate),
        (status = 400, description = "The form was cut off.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "In a request without `file`: someone else created a version at the same time.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The file is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not a form.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The PDF was not accepted, or its fields are invalid. `errors` lists every error in both.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn replace_template(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    TemplatePath(id): TemplatePath,
    AnswerLanguage(language): AnswerLanguage,
    request: Request,
) -> Result<Json<SavedTemplate>, Failure> {
    // Check before receiving the body.
    let checked = caller.clone();
    http.blocking(move |app| app.template(&checked, id)).await?;
    let given = Given::read(request, http.app().settings.largest_document, false).await?;
    let saved = http
        .blocking(move |app| {
            let saved = match (given.pdf(), given.fields()) {
                (None, TemplateFields::File(fields)) => app.change_template_fields(&caller, id, fields),
                (pdf, fields) => {
                    app.import_template_as(&caller, Some(id), pdf.unwrap_or_default(), fields, &given.wishes)
                }
            };
            saved.map_err(|error| given.told(error))
        })
        .await?;
    Ok(Json(SavedTemplate::new(language, saved)))
}
