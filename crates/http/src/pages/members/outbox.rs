//! `GET /outbox`, `GET /outbox/{id}`: what was written to people.
//!
//! Without a mail server, and for telephone numbers without a messenger, this page is how messages
//! reach anybody: a member opens one and passes its link on. One-time codes alone are not shown: who
//! could read them here could sign as the writer.

use app::mail::MailLink;
use app::outbox::OutboxMessage;
use app::{MemberSession, Subject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Language;
use serde::Serialize;

use super::{language_of, session};
use crate::pages::render::respond;
use crate::pages::request::PageRequest;
use crate::path::PagePath;
use crate::router::Http;
use crate::security_headers;

#[derive(Serialize)]
struct Row {
    href: String,
    subject: String,
    to: String,
    channel: String,
    status: String,
    /// Of the picture beside its words.
    tone: &'static str,
    failure: Option<String>,
    at: String,
}

#[derive(Serialize)]
struct OutboxPage<'a> {
    logout: String,
    csrf: &'a str,
    email: &'a str,
    company_name: &'a str,
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
}

#[derive(Serialize)]
struct MessagePage {
    back: String,
    message: Opened,
}

fn channel(language: Language, message: &OutboxMessage) -> String {
    let key = if message.channel == "mail" {
        "outbox-channel-mail"
    } else {
        "outbox-channel-messenger"
    };
    i18n::text(language, key, &[])
}

/// How far it is, as the key of its words and as a tone. What the mail server said stands beside it, in its own words.
fn standing(message: &OutboxMessage) -> (&'static str, &'static str) {
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

fn addressee(message: &OutboxMessage) -> String {
    if message.to_name.is_empty() || message.to_name == message.to {
        message.to.clone()
    } else {
        format!("{} ({})", message.to_name, message.to)
    }
}

fn when(language: Language, session: &MemberSession, message: &OutboxMessage) -> String {
    i18n::date_time(language, message.at, session.caller.offset)
}

/// `GET /outbox`
pub async fn list(State(http): State<Http>, request: PageRequest) -> Response {
    let session = match session(&http, &request).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let language = language_of(&request, &session);
    let before = request.get("before").and_then(|before| before.parse::<i64>().ok());
    let caller = session.caller.clone();
    let found = match http.blocking(move |app| app.outbox_messages(&caller, before)).await {
        Ok(found) => found,
        Err(error) => return request.fail(&error, language),
    };
    let content = OutboxPage {
        logout: request.link(language, "/sign-out", &[]),
        csrf: &session.form_token,
        email: &session.caller.email,
        company_name: &session.company_name,
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
        newest: before.map(|_| request.link(language, "/outbox", &[])),
        older: found
            .older
            .map(|before| request.link(language, "/outbox", &[("before", &before.to_string())])),
    };
    let frame = request.frame(language, i18n::text(language, "outbox-title", &[]));
    let mut response = respond(StatusCode::OK, "outbox.html", &frame, &content);
    security_headers::own_window(response.headers_mut());
    response
}

/// `GET /outbox/{id}`
pub async fn open(State(http): State<Http>, PagePath(id): PagePath<String>, request: PageRequest) -> Response {
    let session = match session(&http, &request).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let language = language_of(&request, &session);
    let caller = session.caller.clone();
    let found = match id.parse::<i64>() {
        Ok(id) => http.blocking(move |app| app.outbox_message(&caller, id)).await,
        Err(_) => Err(app::Error::NotFound(Subject::Delivery)),
    };
    let message = match found {
        Ok(message) => message,
        Err(error) => return request.fail(&error, language),
    };
    let content = MessagePage {
        back: request.link(language, "/outbox", &[]),
        message: Opened {
            subject: message.subject.clone(),
            to: addressee(&message),
            channel: channel(language, &message),
            status: status(language, &message),
            failure: message.failure.clone(),
            at: when(language, &session, &message),
            body: if message.is_secret {
                i18n::text(language, "outbox-hidden", &[])
            } else {
                message.text.clone()
            },
            links: message.links.clone(),
        },
    };
    let frame = request.frame(language, message.subject.clone());
    let mut response = respond(StatusCode::OK, "message.html", &frame, &content);
    security_headers::own_window(response.headers_mut());
    response
}
