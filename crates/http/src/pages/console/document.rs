//! `GET /documents/{id}`: one document, and what its sender can do with it (`POST`).

use app::{
    ActRequest, App, CorrectRequest, DetailedEvent, DetailedSigner, DocumentDetail, Error, ExtendRequest, LinksRequest,
    MemberSession, Origin, OutboxMessage, Subject, WrittenField,
};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::{FileKind, Language, Status, WorkflowId, Zone};
use serde::Serialize;

use super::documents::standing;
use super::{Member, Part, check_form, language_of, origin, outbox, page};
use crate::api::file::{attachment, finished};
use crate::api::path::number;
use crate::frame::download::Wanted;
use crate::frame::problem::Failure;
use crate::frame::state::Http;
use crate::html::path::PagePath;
use crate::html::request::{PageForm, PageRequest};

#[derive(Serialize)]
struct Signer {
    order: u32,
    role: Option<String>,
    name: String,
    contact: String,
    state: String,
    tone: &'static str,
    comment: String,
    /// Whether their name and contact can still be corrected.
    can_correct: bool,
}

#[derive(Serialize)]
struct Happened {
    at: String,
    text: String,
    who: String,
    detail: String,
    from: String,
}

#[derive(Serialize)]
struct Message {
    href: Option<String>,
    subject: String,
    to: String,
    state: String,
    tone: &'static str,
    failure: Option<String>,
    at: String,
}

#[derive(Serialize)]
struct DocumentPage<'a> {
    action: String,
    back: String,
    csrf: &'a str,
    id: String,
    name: &'a str,
    status: String,
    symbol: &'static str,
    tone: &'static str,
    sender: &'a str,
    comment: &'a str,
    end_comment: &'a str,
    started: String,
    expires: Option<String>,
    ended: Option<String>,
    signers: Vec<Signer>,
    copies: Vec<String>,
    events: Vec<Happened>,
    messages: Vec<Message>,
    values: &'a [WrittenField],
    /// The sender's view of the pages.
    view: &'a str,
    file: Option<String>,
    certificate: Option<String>,
    may_send: bool,
    is_in_progress: bool,
    can_remind: bool,
    done: Option<String>,
    refused: Option<String>,
}

/// What a sender does with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Remind,
    Extend,
    Cancel,
    Correct,
    RenewLinks,
    RevokeLinks,
    Discard,
}

impl Deed {
    /// The form's word for it, which is also the end of its text's key.
    const WORDS: [(&'static str, Self); 7] = [
        ("remind", Self::Remind),
        ("extend", Self::Extend),
        ("cancel", Self::Cancel),
        ("correct", Self::Correct),
        ("renew", Self::RenewLinks),
        ("revoke", Self::RevokeLinks),
        ("discard", Self::Discard),
    ];

    fn of(request: &PageRequest) -> Option<(&'static str, Self)> {
        let word = request.get("action")?;
        Self::WORDS.into_iter().find(|(known, _)| *known == word)
    }

    fn run(self, app: &App, session: &MemberSession, id: WorkflowId, form: &Form) -> Result<(), Error> {
        let (actor, origin) = (&session.actor, &form.origin);
        match self {
            Self::Remind => app.remind(actor, id, origin).map(drop),
            Self::Extend => {
                let request = ExtendRequest {
                    expiry_date: form.date.clone(),
                    ..ExtendRequest::default()
                };
                app.extend(actor, id, &request, origin).map(drop)
            }
            Self::Cancel => {
                let request = ActRequest {
                    comment: form.comment.clone(),
                    ..ActRequest::default()
                };
                app.cancel(actor, id, &request, origin).map(drop)
            }
            Self::Correct => {
                let order = form.order.ok_or(Error::NotFound(Subject::Recipient))?;
                app.correct_recipient(actor, id, order, &form.correction, origin)
                    .map(drop)
            }
            Self::RenewLinks | Self::RevokeLinks => {
                let action = if self == Self::RenewLinks { "renew" } else { "revoke" };
                let request = LinksRequest {
                    action: Some(action.to_owned()),
                    ..LinksRequest::default()
                };
                app.change_links(actor, id, &request, origin).map(drop)
            }
            Self::Discard => app.discard(actor, id, origin).map(drop),
        }
    }
}

/// The members of the page's forms.
struct Form {
    origin: Origin,
    date: Option<String>,
    comment: Option<String>,
    order: Option<u32>,
    correction: CorrectRequest,
}

impl Form {
    fn of(request: &PageRequest) -> Self {
        let text = |name: &str| request.get(name).map(str::to_owned);
        Self {
            origin: origin(request),
            date: text("expiry_date"),
            comment: text("comment"),
            order: text("order").and_then(|order| order.parse().ok()),
            correction: CorrectRequest {
                name: text("name"),
                email: text("contact"),
                current_email: text("current_contact"),
                role: text("role"),
                ..CorrectRequest::default()
            },
        }
    }
}

fn workflow_id(text: &str) -> Result<WorkflowId, Error> {
    number(text).map(WorkflowId).ok_or(Error::NotFound(Subject::Workflow))
}

/// `GET /documents/{id}`
pub async fn open(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(id): PagePath<String>,
    request: PageRequest,
) -> Response {
    show(&http, &request, &session, &id, StatusCode::OK, None).await
}

/// `POST /documents/{id}`
pub async fn act(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(text): PagePath<String>,
    PageForm(request): PageForm,
) -> Response {
    if let Err(refused) = check_form(&request, &session) {
        return *refused;
    }
    let language = language_of(&request, &session);
    let id = match workflow_id(&text) {
        Ok(id) => id,
        Err(error) => return request.fail(&error, language),
    };
    let Some((word, deed)) = Deed::of(&request) else {
        return show(&http, &request, &session, &text, StatusCode::OK, None).await;
    };
    let (form, by) = (Form::of(&request), session.clone());
    match http.blocking(move |app| deed.run(app, &by, id, &form)).await {
        Ok(()) if deed == Deed::Discard => request.redirect(&request.onward("/documents", &[("done", "discarded")])),
        Ok(()) => request.redirect(&request.onward(&format!("/documents/{id}"), &[("done", word)])),
        Err(error) => {
            let status = Failure::status_of(&error);
            if !matches!(
                status,
                StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::TOO_MANY_REQUESTS
            ) {
                return request.fail(&error, language);
            }
            let refused = refusal(&error, language);
            show(&http, &request, &session, &text, status, Some(refused)).await
        }
    }
}

/// An error in words, with everything that is wrong in the form.
fn refusal(error: &Error, language: Language) -> String {
    match error {
        Error::Unprocessable(faults) => {
            let all: Vec<String> = faults.iter().map(|fault| fault.message(language)).collect();
            all.join(" ")
        }
        other => other.message(language),
    }
}

/// `GET /documents/{id}/file`: the sealed document.
pub async fn file(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(id): PagePath<String>,
    wanted: Wanted,
    request: PageRequest,
) -> Response {
    download(&http, &session, (id, FileKind::Document), wanted, &request).await
}

/// `GET /documents/{id}/certificate`: the history certificate.
pub async fn certificate(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(id): PagePath<String>,
    wanted: Wanted,
    request: PageRequest,
) -> Response {
    download(&http, &session, (id, FileKind::Certificate), wanted, &request).await
}

async fn download(
    http: &Http,
    session: &MemberSession,
    (id, kind): (String, FileKind),
    wanted: Wanted,
    request: &PageRequest,
) -> Response {
    let (language, by, origin) = (language_of(request, session), session.actor.clone(), origin(request));
    let asked = wanted.clone();
    let file = http.blocking(move |app| finished(app, &by, (workflow_id(&id)?, kind), &origin, &asked));
    match file.await {
        Ok(file) => attachment(file, &wanted),
        Err(error) => request.fail(&error, language),
    }
}

async fn show(
    http: &Http,
    request: &PageRequest,
    session: &MemberSession,
    id: &str,
    status: StatusCode,
    refused: Option<String>,
) -> Response {
    let language = language_of(request, session);
    let (by, id) = (session.actor.clone(), id.to_owned());
    let detail = http
        .blocking(move |app| app.document_detail(&by, workflow_id(&id)?))
        .await;
    match detail {
        Ok(detail) => shown(request, session, status, &detail, refused),
        Err(error) => request.fail(&error, language),
    }
}

fn shown(
    request: &PageRequest,
    session: &MemberSession,
    status: StatusCode,
    detail: &DocumentDetail,
    refused: Option<String>,
) -> Response {
    let (language, zone) = (language_of(request, session), session.actor.zone());
    let own = format!("/documents/{}", detail.id);
    let way = |rest: &str| request.link(language, &format!("{own}{rest}"), &[]);
    let (state, symbol, tone) = standing(language, detail.status);
    let is_in_progress = detail.status == Status::Playing;
    let is_complete = detail.status == Status::Complete;
    let done = request
        .get("done")
        .filter(|done| Deed::WORDS.iter().any(|(word, _)| word == done))
        .map(|done| i18n::text(language, &format!("document-done-{done}"), &[]));
    let content = DocumentPage {
        action: way(""),
        back: request.link(language, "/documents", &[]),
        csrf: &session.form_token,
        id: detail.id.to_string(),
        name: &detail.name,
        status: state,
        symbol,
        tone,
        sender: &detail.sender,
        comment: &detail.comment,
        end_comment: &detail.end_comment,
        started: i18n::date_time(language, detail.started_at, zone),
        expires: is_in_progress.then(|| i18n::deadline(language, detail.expires_at, zone)),
        ended: detail.ended_at.map(|at| i18n::date_time(language, at, zone)),
        signers: detail
            .signers
            .iter()
            .map(|one| signer(language, zone, detail, one))
            .collect(),
        copies: detail
            .copies
            .iter()
            .map(|copy| format!("{} ({})", copy.name, copy.email))
            .collect(),
        events: detail
            .events
            .iter()
            .map(|event| happened(language, zone, event))
            .collect(),
        messages: detail
            .messages
            .iter()
            .map(|one| message(request, language, zone, detail, one))
            .collect(),
        values: &detail.values,
        view: if is_in_progress && !detail.is_embedded {
            &detail.links.playing_url
        } else {
            ""
        },
        file: is_complete.then(|| way("/file")),
        certificate: (!is_in_progress).then(|| way("/certificate")),
        may_send: detail.may_send,
        is_in_progress,
        can_remind: is_in_progress && !detail.is_embedded,
        done: done.filter(|_| refused.is_none()),
        refused,
    };
    page(
        request,
        session,
        Part::Documents,
        (status, detail.name.clone()),
        "document.html",
        &content,
    )
}

fn signer(language: Language, zone: Zone, detail: &DocumentDetail, one: &DetailedSigner) -> Signer {
    let signer = &one.signer;
    let at = one.at.map(|at| i18n::date_time(language, at, zone)).unwrap_or_default();
    let is_over = detail.status != Status::Playing;
    let (key, tone) = match signer.status {
        "approved" => ("document-signer-signed", "good"),
        "rejected" => ("document-signer-declined", "bad"),
        _ if is_over => ("document-signer-not-signed", ""),
        "writing" if signer.viewed => ("document-signer-viewed", "warn"),
        "writing" => ("document-signer-turn", "warn"),
        _ => ("document-signer-later", ""),
    };
    Signer {
        order: signer.order,
        role: signer.role.clone(),
        name: signer.name.clone(),
        contact: signer.email.clone(),
        state: i18n::text(language, key, &[("date", &at)]),
        tone,
        comment: signer.comment.clone(),
        can_correct: detail.may_send && !is_over && one.at.is_none(),
    }
}

fn happened(language: Language, zone: Zone, event: &DetailedEvent) -> Happened {
    let entry = &event.entry;
    let person = |name: &str, contact: &str| match (name.is_empty(), contact.is_empty()) {
        _ if name == contact => contact.to_owned(),
        (true, _) => contact.to_owned(),
        (false, true) => name.to_owned(),
        (false, false) => format!("{name} ({contact})"),
    };
    let who = person(&entry.actor_name, &entry.actor_email);
    let about = entry.recipient_name.as_deref().unwrap_or_default();
    let order = event.returned_to.map(|order| order.to_string()).unwrap_or_default();
    let about =
        (about != entry.actor_name).then(|| person(about, entry.recipient_email.as_deref().unwrap_or_default()));
    let reason = entry.reason.as_ref().map(|reason| format!("“{reason}”"));
    let detail = entry.change.clone().or(about).or_else(|| entry.field.clone());
    Happened {
        at: i18n::date_time(language, event.at, zone),
        text: i18n::text(language, &event.text_key, &[("order", &order), ("member", &who)]),
        who,
        detail: [detail, reason]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" · "),
        from: [&entry.address, &entry.user_agent]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(" · "),
    }
}

fn message(
    request: &PageRequest,
    language: Language,
    zone: Zone,
    detail: &DocumentDetail,
    one: &OutboxMessage,
) -> Message {
    let (key, tone) = outbox::standing(one);
    Message {
        href: detail
            .may_send
            .then(|| request.link(language, &format!("/outbox/{}", one.id), &[])),
        subject: one.subject.clone(),
        to: outbox::addressee(one),
        state: i18n::text(language, key, &[]),
        tone,
        failure: one.failure.clone(),
        at: i18n::date_time(language, one.at, zone),
    }
}
