//! `GET /documents`: the company's documents at a glance.

use app::{DocumentRow, DocumentTab, ListRequest, MemberSession};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::{Language, Status, time};
use jiff::SignedDuration;
use serde::Serialize;

use super::{Member, Part, language_of, page};
use crate::frame::state::Http;
use crate::html::request::PageRequest;

/// Documents that expire within this time are marked.
const SOON: SignedDuration = SignedDuration::from_hours(72);
/// A row names this many signers at most.
const MOST_NAMED: usize = 3;

#[derive(Serialize)]
struct Tab {
    href: String,
    text: String,
    is_current: bool,
}

#[derive(Serialize)]
struct Row {
    href: String,
    name: String,
    status: String,
    /// The icon beside the status, and its tone.
    symbol: &'static str,
    tone: &'static str,
    sender: String,
    /// Whose turn it is, in words.
    waits_for: Option<String>,
    changed: String,
    expires_soon: Option<String>,
    has_failed_message: bool,
    has_failed_webhook: bool,
}

#[derive(Serialize)]
struct DocumentsPage<'a> {
    action: String,
    tab: &'static str,
    tabs: Vec<Tab>,
    text: &'a str,
    from: &'a str,
    to: &'a str,
    /// Whether more than the tab narrows the list.
    is_filtered: bool,
    clear: String,
    rows: Vec<Row>,
    newest: Option<String>,
    older: Option<String>,
    api_docs: String,
    /// What has just been done with a document that is no longer listed.
    done: Option<String>,
}

/// The state in words, the icon beside it, and the icon's tone.
pub(super) fn standing(language: Language, status: Status) -> (String, &'static str, &'static str) {
    let (key, symbol, tone) = match status {
        Status::Playing => ("documents-status-in-progress", "clock", ""),
        Status::Complete => ("documents-status-complete", "check", "good"),
        Status::Rejected => ("documents-status-declined", "cross", "bad"),
        Status::Canceled => ("documents-status-cancelled", "cross", ""),
        Status::Expired => ("documents-status-expired", "clock", "warn"),
    };
    (i18n::text(language, key, &[]), symbol, tone)
}

/// `GET /documents`
pub async fn list(State(http): State<Http>, Member(session): Member, request: PageRequest) -> Response {
    let language = language_of(&request, &session);
    let tab = DocumentTab::read(request.get("tab").unwrap_or_default());
    let asked = ListRequest {
        text: request.get("q").map(str::to_owned),
        from: request.get("from").map(str::to_owned),
        to: request.get("to").map(str::to_owned),
        template_id: request.get("template").map(str::to_owned),
        cursor: request.get("before").map(str::to_owned),
        ..ListRequest::default()
    };
    let actor = session.actor.clone();
    let found = match http.blocking(move |app| app.documents(&actor, tab, &asked)).await {
        Ok(found) => found,
        Err(error) => return request.fail(&error, language),
    };
    let address = |tab: DocumentTab, before: Option<&str>| {
        let kept = ["q", "from", "to", "template"];
        let mut query = vec![("tab", tab.code())];
        query.extend(kept.iter().filter_map(|name| Some((*name, request.get(name)?))));
        query.extend(before.map(|before| ("before", before)));
        request.link(language, "/documents", &query)
    };
    let older = found.older.map(|before| before.to_string());
    let content = DocumentsPage {
        action: request.link(language, "/documents", &[]),
        tab: tab.code(),
        tabs: DocumentTab::ALL
            .into_iter()
            .map(|other| Tab {
                href: address(other, None),
                text: i18n::text(language, &format!("documents-tab-{}", other.code()), &[]),
                is_current: other == tab,
            })
            .collect(),
        text: request.get("q").unwrap_or_default(),
        from: request.get("from").unwrap_or_default(),
        to: request.get("to").unwrap_or_default(),
        is_filtered: ["q", "from", "to", "template"]
            .iter()
            .any(|name| request.get(name).is_some()),
        clear: request.link(language, "/documents", &[("tab", tab.code())]),
        rows: found
            .rows
            .into_iter()
            .map(|found| row(&http, &request, &session, language, found))
            .collect(),
        newest: request.get("before").map(|_| address(tab, None)),
        older: older.as_deref().map(|before| address(tab, Some(before))),
        api_docs: request.link(language, "/api/docs", &[]),
        done: (request.get("done") == Some("discarded")).then(|| i18n::text(language, "document-done-discarded", &[])),
    };
    let title = i18n::text(language, "documents-title", &[]);
    page(
        &request,
        &session,
        Part::Documents,
        (StatusCode::OK, title),
        "documents.html",
        &content,
    )
}

fn row(http: &Http, request: &PageRequest, session: &MemberSession, language: Language, found: DocumentRow) -> Row {
    let zone = session.actor.zone();
    let (status, symbol, tone) = standing(language, found.status);
    let is_soon = found.status == Status::Playing
        && found.expires_at != time::never()
        && found.expires_at.duration_since(http.app().now()) < SOON;
    Row {
        href: request.link(language, &format!("/documents/{}", found.id), &[]),
        status,
        symbol,
        tone,
        waits_for: waits_for(language, &found),
        changed: i18n::date_time(language, found.changed_at, zone),
        expires_soon: is_soon.then(|| {
            let date = i18n::date_time(language, found.expires_at, zone);
            i18n::text(language, "documents-expires", &[("date", &date)])
        }),
        has_failed_message: found.has_failed_message,
        has_failed_webhook: found.has_failed_webhook,
        name: found.name,
        sender: found.sender,
    }
}

/// `Waiting for Kim Minjun (step 1 of 2)`
fn waits_for(language: Language, found: &DocumentRow) -> Option<String> {
    let first = found.waits_for.get(..MOST_NAMED).unwrap_or(&found.waits_for);
    if first.is_empty() {
        return None;
    }
    let mut names = first.join(", ");
    let others = found.waits_for.len().saturating_sub(first.len());
    if others > 0 {
        names = i18n::text(
            language,
            "documents-and-others",
            &[("names", &names), ("count", &others.to_string())],
        );
    }
    let (step, steps) = (found.step.to_string(), found.steps.to_string());
    Some(i18n::text(
        language,
        "documents-waits",
        &[("names", &names), ("step", &step), ("steps", &steps)],
    ))
}
