//! `GET /mail/preview`: a preview of the document that a start would send. Nothing is stored or sent.

use app::{App, PageAnswer, PreviewView, consent};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::{Field, Language};

use super::page::{Draft, Script, SignPage};
use super::pictures::{AskedPart, file_response};
use super::texts;
use super::view::{Filled, Owner, act, pages};
use crate::frame::download::Wanted;
use crate::frame::problem::Failure;
use crate::frame::state::Http;
use crate::html::render::respond;
use crate::html::request::PageRequest;

/// The page is shown as the first step's signer would see it.
const SHOWN_STEP: u32 = 1;

/// `GET /mail/preview`
pub async fn page(State(http): State<Http>, request: PageRequest) -> Response {
    let token = request.get("token").unwrap_or_default().to_owned();
    let found = {
        let token = token.clone();
        http.blocking(move |app| app.preview(&token)).await
    };
    match found {
        Ok(view) => shown(&request, &token, &view),
        Err(error) => request.fail(&error, request.language()),
    }
}

fn shown(request: &PageRequest, token: &str, view: &PreviewView) -> Response {
    let language = request.language_or(view.language);
    let base = &request.base;
    let filled: Vec<Filled<'_>> = view
        .fields
        .iter()
        .map(|field| {
            let value = field.value.as_deref();
            Filled {
                field: &field.field,
                owner: owner(language, &field.field, value),
                value,
                look: field.look.clone(),
                fault: None,
                src: (field.file && field.field.kind.is_picture()).then(|| {
                    let mut query = url::form_urlencoded::Serializer::new(String::new());
                    query.append_pair("token", token).append_pair("name", &field.field.name);
                    format!("{base}/mail/preview/file?{}", query.finish())
                }),
            }
        })
        .collect();
    let steps = view
        .fields
        .iter()
        .map(|field| field.field.step)
        .max()
        .unwrap_or(SHOWN_STEP);
    let pdf = view.pdf.to_string();
    let act = act(&filled);
    let content = SignPage {
        mode: "preview",
        document: &view.workflow_name,
        sender: "",
        writer: None,
        waiting_for: None,
        ended: None,
        step: SHOWN_STEP,
        steps,
        comment: "",
        returned: None,
        until: None,
        until_day: None,
        next_sign: false,
        gives_back: false,
        hand_over: false,
        continued: false,
        original: None,
        pages: pages(language, &view.pages, &filled, |part, number| {
            format!("{base}/mail/preview/{part}/{pdf}/{number}?token={token}")
        }),
        act,
        test_mark: None,
        data: Script {
            token,
            workflow_id: None,
            recipient_id: None,
            mode: "preview",
            language: language.code(),
            base,
            callback: false,
            consented: false,
            consent_version: consent::VERSION,
            writer_name: "",
            next_names: Vec::new(),
            draft: Draft::of(app::DraftState::default()),
            texts: texts::for_script(language, act),
        },
    };
    respond(
        StatusCode::OK,
        "sign.html",
        &request.company_frame(language, view.workflow_name.clone(), &view.look),
        &content,
    )
}

fn owner(language: Language, field: &Field, value: Option<&str>) -> Owner {
    let given = value.is_some_and(|value| !value.is_empty());
    let open = field.kind.is_written_by_writer() && !(given && field.read_only);
    if open && field.step == SHOWN_STEP {
        Owner::Mine
    } else if open {
        Owner::Waiting(writer(language, field.step, field.role.as_deref()))
    } else {
        Owner::Sender
    }
}

fn writer(language: Language, step: u32, role: Option<&str>) -> String {
    role.map_or_else(
        || i18n::text(language, "sign-writer-of-step", &[("step", &step.to_string())]),
        str::to_owned,
    )
}

/// `GET /mail/preview/pages/{document}/{page}`
pub async fn picture(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    asked
        .answer_by_token(&http, |app, token, file, page| {
            app.preview_image(token, file, page).map(PageAnswer::Kept)
        })
        .await
}

/// `GET /mail/preview/texts/{document}/{page}`
pub async fn text(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    asked.answer_by_token(&http, App::preview_text).await
}

/// `GET /mail/preview/file`
pub async fn file(State(http): State<Http>, wanted: Wanted, request: PageRequest) -> Result<Response, Failure> {
    let token = request.get("token").unwrap_or_default().to_owned();
    let name = request.get("name").unwrap_or_default().to_owned();
    let file = http.blocking(move |app| app.preview_file(&token, &name)).await?;
    Ok(file_response(file, &wanted))
}
