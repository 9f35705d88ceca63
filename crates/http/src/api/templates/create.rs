//! `POST /api/v3/templates`: creates a template from a PDF and its fields.

use app::SavedTemplate;
use axum::Json;
use axum::extract::{Request, State};

use super::form::{Given, TemplateForm};
use crate::frame::caller::Authenticated;
use crate::frame::problem::{AnswerLanguage, Failure, Problem};
use crate::frame::state::Http;

/// Create a template.
///
/// We read the PDF in a confined process and rewrite it once, so that nothing in it can run or change after people have
/// signed. `intake` lists the changes. A PDF that is already signed is kept byte for byte. If the PDF is not accepted,
/// this returns a 422 whose error names `file`. Its `reason` contains the ID of the reason, and its message explains
/// the reason and how to fix it.
#[utoipa::path(
    post, path = "/api/v3/templates", operation_id = "templates_create", tag = "Templates",
    request_body(content = TemplateForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The template was created.", body = SavedTemplate, example = json!({
            "template_id": 7, "version": 1, "name": "Contract", "pages": 2,
            "intake": {
                "taken": true, "verdict": "taken_with_changes", "signatures": 0,
                "pages": [{"width": 595.0, "height": 842.0}, {"width": 595.0, "height": 842.0}],
                "fields": [], "warnings": [],
                "changes": [{"change": "scripts_removed", "count": 1, "message": "Scripts were removed: 1."}]
            }
        })),
        (status = 400, description = "The form was cut off.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The file is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not a form.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The PDF was not accepted, or its fields are invalid. `errors` lists every error in both.", body = Problem, content_type = "application/problem+json",
         example = json!({
            "type": "https://sign.example.com/api/docs#unprocessable", "title": "Unprocessable Content", "status": 422,
            "code": "unprocessable", "detail": "…",
            "errors": [{
                "path": "file", "code": "document-refused", "reason": "needs_password",
                "message": "The file was not accepted: The file needs a password. Enter the password, or save the file without one."
            }],
            "header": {"result_code": "422", "result_msg": "…"}
         })),
    ),
    security(("access_token" = [])),
)]
pub async fn create_template(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    AnswerLanguage(language): AnswerLanguage,
    request: Request,
) -> Result<Json<SavedTemplate>, Failure> {
    let given = Given::read(request, http.app().settings.largest_document, true).await?;
    let saved = http
        .blocking(move |app| {
            let pdf = given.pdf().unwrap_or_default();
            app.import_template_as(&caller, None, pdf, given.fields(), &given.wishes)
                .map_err(|error| given.told(error))
        })
        .await?;
    Ok(Json(SavedTemplate::new(language, saved)))
}
