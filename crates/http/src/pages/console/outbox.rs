//! `GET /outbox`, `GET /outbox/{id}`, `POST /outbox/{id}/link`: the messages to people.
//!
//! Signing links and one-time codes are hidden, because a member who could read them could sign as the signer. Without
//! a mail server, or without a gateway for a telephone number, there is no other way to send a link to its signer. So
//! the sender or an administrator may copy the link of a message that could not be sent, and the audit trail records
//! it.

use app::mail::MailLink;
use app::{Error, MemberSession, Subject};
use app::{MOST_COUNTED, OutboxMessage};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Language;
use serde::Serialize;

use super::{Member, Part, check_form, language_of, origin, page};
use crate::frame::state::Http;
use crate::html::path::PagePath;
use crate::html::request::{PageForm, PageRequest};

#[derive(Serialize)]
struct Row {
    href: String,
    subject: String,
    to: String,
    channel: String,
    status: String,
    /// The tone of the icon next to the status.
    tone: &'static str,
    failure: Option<String>,
    at: String,
}

#[derive(Serialize)]
struct OutboxPage {
    /// Warns that the seal certificate expires soon or has expired.
    seal_warning: Option<String>,
    /// Whether to show only messages that were not delivered.
    shows_failed: bool,
    /// Number of undelivered messages: a number, or '100+'.
    failed: Option<String>,
    all_href: String,
    failed_href: String,
    messages: Vec<Row>,
    newest: Option<String>,
    older: Option<String>,
}

#[derive(Serialize)]
struct Opened {
    subject: String,
    to: String,
    channel: String,
    status: String,
    failure: Option<String>,
    at: String,
    body: String,
    links: Vec<MailLink>,
    hides_link: bool,
}

#[derive(Serialize)]
struct MessagePage<'a> {
    back: String,
    message: Opened,
    csrf: &'a str,
    /// The URL of the form that copies the link.
    copy: Option<String>,
    /// The copied link.
    copied: Option<String>,
    /// The reason why it was not copied.
    refused: Option<String>,
}

fn channel(language: Language, message: &OutboxMessage) -> String {
    let key = if message.channel == "mail" {
        "outbox-channel-mail"
    } else {
        "outbox-channel-messenger"
    };
    i18n::text(language, key, &[])
}

/// Returns the status as a text key and a tone. The mail server's own words are shown next to it.
pub(super) fn standing(message: &OutboxMessage) -> (&'static str, &'static str) {
    match (message.state, &message.failure) {
        ("delivered", _) => ("outbox-status-sent", "good"),
        ("kept", _) => ("outbox-status-kept", "warn"),
        ("dead", _) => ("outbox-status-failed", "bad"),
        (_, Some(_)) => ("outbox-status-again", "warn"),
        (_, None) => ("outbox-status-waiting", ""),
    }
}

fn status(language: Language, message: &OutboxMessage) -> String {
    i18n::text(language, standing(message).0, &[])
}

pub(super) fn addressee(message: &OutboxMessage) -> String {
    if message.to_name.is_empty() || message.to_name == message.to {
        message.to.clone()
    } else {
        format!("{} ({})", message.to_name, message.to)
    }
}

fn when(language: Language, session: &MemberSession, message: &OutboxMessage) -> String {
    i18n::date_time(language, message.at, session.actor.zone())
}

/// `GET /outbox`
pub async fn list(State(http): State<Http>, Member(session): Member, request: PageRequest) -> Response {
    let language = language_of(&request, &session);
    let before = request.get("before").and_then(|before| before.parse::<i64>().ok());
    let shows_failed = request.get("show") == Some("failed");
    let shown: &[(&str, &str)] = if shows_failed { &[("show", "failed")] } else { &[] };
    let member = session.actor.clone();
    let found = http
        .blocking(move |app| {
            let messages = if shows_failed {
                app.failed_messages(&member, before)?
            } else {
                app.outbox_messages(&member, before)?
            };
            Ok((messages, app.seal_end_to_warn_of(&member)?))
        })
        .await;
    let (found, seal_end) = match found {
        Ok(found) => found,
        Err(error) => return request.fail(&error, language),
    };
    let content = OutboxPage {
        seal_warning: seal_end.map(|end| {
            let key = if end > http.app().now() {
                "outbox-seal-ends"
            } else {
                "outbox-seal-ended"
            };
            let date = i18n::date_time(language, end, session.actor.zone());
            i18n::text(language, key, &[("date", &date)])
        }),
        shows_failed,
        failed: match found.failed {
            0 => None,
            count if count >= u64::from(MOST_COUNTED) => Some(format!("{MOST_COUNTED}+")),
            count => Some(count.to_string()),
        },
        all_href: request.link(language, "/outbox", &[]),
        failed_href: request.link(language, "/outbox", &[("show", "failed")]),
        messages: found
            .messages
            .iter()
            .map(|message| Row {
                href: request.link(language, &format!("/outbox/{}", message.id), &[]),
                subject: message.subject.clone(),
                to: addressee(message),
                channel: channel(language, message),
                status: status(language, message),
                tone: standing(message).1,
                failure: message.failure.clone(),
                at: when(language, &session, message),
            })
            .collect(),
        newest: before.map(|_| request.link(language, "/outbox", shown)),
        older: found.older.map(|before| {
            let before = before.to_string();
            let query: Vec<_> = shown.iter().copied().chain([("before", before.as_str())]).collect();
            request.link(language, "/outbox", &query)
        }),
    };
    let title = i18n::text(language, "outbox-title", &[]);
    page(
        &request,
        &session,
        Part::Outbox,
        (StatusCode::OK, title),
        "outbox.html",
        &content,
    )
}

/// `GET /outbox/{id}`
pub async fn open(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(id): PagePath<String>,
    request: PageRequest,
) -> Response {
    let language = language_of(&request, &session);
    match message(&http, &session, id.parse().ok()).await {
        Ok(message) => message_page(&request, &session, StatusCode::OK, &message, None, None),
        Err(error) => request.fail(&error, language),
    }
}

/// `POST /outbox/{id}/link`: copies the signing link of a message that could not be sent.
pub async fn copy_link(
    State(http): State<Http>,
    Member(session): Member,
    PagePath(id): PagePath<String>,
    PageForm(request): PageForm,
) -> Response {
    if let Err(refused) = check_form(&request, &session) {
        return *refused;
    }
    let language = language_of(&request, &session);
    let id = id.parse::<i64>().ok();
    let (member, origin) = (session.actor.clone(), origin(&request));
    let copied = http
        .blocking(move |app| {
            let id = id.ok_or(Error::NotFound(Subject::Delivery))?;
            app.copy_signing_link(&member, id, &origin)
        })
        .await;
    let (status, copied, refused) = match copied {
        Ok(link) => (StatusCode::OK, Some(link), None),
        Err(error @ Error::Conflict { .. }) => (StatusCode::CONFLICT, None, Some(error.message(language))),
        Err(error @ Error::Forbidden(_)) => (StatusCode::FORBIDDEN, None, Some(error.message(language))),
        Err(error) => return request.fail(&error, language),
    };
    match message(&http, &session, id).await {
        Ok(message) => message_page(&request, &session, status, &message, copied, refused),
        Err(error) => request.fail(&error, language),
    }
}

/// `GET /outbox/{id}/link`, after a reload or in a restored tab: redirects to the message.
pub async fn back_to_message(
    State(_): State<Http>,
    Member(_): Member,
    PagePath(id): PagePath<String>,
    request: PageRequest,
) -> Response {
    match id.parse::<i64>() {
        Ok(id) => request.redirect(&request.onward(&format!("/outbox/{id}"), &[])),
        Err(_) => request.fail(&Error::NotFound(Subject::Delivery), request.language()),
    }
}

async fn message(http: &Http, session: &MemberSession, id: Option<i64>) -> Result<OutboxMessage, Error> {
    let member = session.actor.clone();
    let id = id.ok_or(Error::NotFound(Subject::Delivery))?;
    http.blocking(move |app| app.outbox_message(&member, id)).await
}

fn message_page(
    request: &PageRequest,
    session: &MemberSession,
    status: StatusCode,
    message: &OutboxMessage,
    copied: Option<String>,
    refused: Option<String>,
) -> Response {
    let language = language_of(request, session);
    let content = MessagePage {
        back: request.link(language, "/outbox", &[]),
        csrf: &session.form_token,
        copy: (message.can_copy_link && copied.is_none())
            .then(|| request.link(language, &format!("/outbox/{}/link", message.id), &[])),
        copied,
        refused,
        message: Opened {
            subject: message.subject.clone(),
            to: addressee(message),
            channel: channel(language, message),
            status: self::status(language, message),
            failure: message.failure.clone(),
            at: when(language, session, message),
            body: if message.is_secret {
                i18n::text(language, "outbox-hidden", &[])
            } else {
                message.text.clone()
            },
            links: message.links.clone(),
            hides_link: message.hides_link,
        },
    };
    let title = message.subject.clone();
    page(
        request,
        session,
        Part::Outbox,
        (status, title),
        "message.html",
        &content,
    )
}
