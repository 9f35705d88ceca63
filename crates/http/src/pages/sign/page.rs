//! `GET` and form `POST` of `/mail/sign` and `/api/{companyId}/sign`: the signing page.
//!
//! Opening it changes nothing. The link alone determines the page: the document to sign, a form for an access code or a
//! one-time code, the sender's view, or an explanation of why there is nothing to sign.

use std::collections::BTreeMap;

use app::{
    CodeQuestion, DraftState, Error, FieldView, SigningKey, SigningRecipient, SigningView, Stage, Subject, consent,
};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::{Language, Status};
use serde::Serialize;

use super::view::{Filled, Owner, PageView, act, pages};
use super::{key, page_of, texts};
use crate::frame::state::Http;
use crate::html::ending::{About, Ending, Link};
use crate::html::language::led_on;
use crate::html::path::PagePath;
use crate::html::render::respond;
use crate::html::request::{PageForm, PageRequest};

/// Data for the script.
#[derive(Serialize)]
pub(super) struct Script<'a> {
    pub(super) token: &'a str,
    pub(super) workflow_id: Option<i64>,
    pub(super) recipient_id: Option<i64>,
    pub(super) mode: &'static str,
    pub(super) language: &'static str,
    pub(super) base: &'a str,
    pub(super) callback: bool,
    pub(super) consented: bool,
    pub(super) consent_version: &'static str,
    pub(super) writer_name: &'a str,
    /// The signers of the next step.
    pub(super) next_names: Vec<&'a str>,
    pub(super) draft: Draft,
    pub(super) texts: BTreeMap<&'static str, String>,
}

/// The state of the draft that the page shows.
#[derive(Serialize)]
pub(super) struct Draft {
    link: u32,
    revision: u64,
    /// The revision of each field's last change, and the page that made it.
    changes: BTreeMap<String, (u64, String)>,
}

impl Draft {
    pub(super) fn of(state: DraftState) -> Self {
        Self {
            link: state.link,
            revision: state.revision,
            changes: state
                .changes
                .into_iter()
                .map(|(field, change)| (field, (change.revision, change.page)))
                .collect(),
        }
    }
}

/// Data for the template.
#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools)] // flags of a template, not states
pub(super) struct SignPage<'a> {
    pub(super) mode: &'static str,
    pub(super) document: &'a str,
    pub(super) sender: &'a str,
    pub(super) writer: Option<&'a str>,
    pub(super) waiting_for: Option<String>,
    /// The outcome of the document, for the sender.
    pub(super) ended: Option<String>,
    pub(super) step: u32,
    pub(super) steps: u32,
    pub(super) comment: &'a str,
    pub(super) returned: Option<Returned<'a>>,
    pub(super) until: Option<String>,
    /// The date without the time.
    pub(super) until_day: Option<String>,
    pub(super) next_sign: bool,
    pub(super) gives_back: bool,
    pub(super) hand_over: bool,
    pub(super) continued: bool,
    /// The URL of the form that downloads the original.
    pub(super) original: Option<String>,
    pub(super) pages: Vec<PageView>,
    pub(super) act: &'static str,
    /// The word across every page of a test.
    pub(super) test_mark: Option<&'a str>,
    pub(super) data: Script<'a>,
}

/// Details of a returned document, for a signer who must fill it in or review it again.
#[derive(Serialize)]
pub(super) struct Returned<'a> {
    by: &'a str,
    reason: Option<&'a str>,
    /// Whether the signer's own step returned it, and others have signed since.
    own_step: bool,
}

#[derive(Serialize)]
struct CodePage<'a> {
    action: String,
    document: &'a str,
    hint: Option<&'a str>,
    wrong: bool,
    left: u32,
}

#[derive(Serialize)]
struct OneTimeCodePage<'a> {
    action: String,
    /// A random value that allows the form to resend a code it has used.
    form: String,
    send_action: String,
    document: &'a str,
    to: &'a str,
    sent: bool,
    minutes: i64,
    wrong: bool,
    fault: Option<String>,
}

/// `GET /mail/sign`
pub async fn mail(State(http): State<Http>, request: PageRequest) -> Response {
    show(&http, &request, None).await
}

/// `POST /mail/sign`
pub async fn mail_form(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    show(&http, &request, None).await
}

/// `GET /api/{companyId}/sign`
pub async fn company(State(http): State<Http>, PagePath(company): PagePath<String>, request: PageRequest) -> Response {
    show(&http, &request, Some(company)).await
}

/// `POST /api/{companyId}/sign`
pub async fn company_form(
    State(http): State<Http>,
    PagePath(company): PagePath<String>,
    PageForm(request): PageForm,
) -> Response {
    show(&http, &request, Some(company)).await
}

async fn show(http: &Http, request: &PageRequest, company: Option<String>) -> Response {
    let key = key(http, request);
    let opened = {
        let key = key.clone();
        http.blocking(move |app| {
            let view = app.open_signing(&key)?;
            // A link belongs to one company, and is unknown at another company's URL.
            if company.is_some_and(|company| !company.eq_ignore_ascii_case(view.company.as_str())) {
                return Err(Error::NotFound(Subject::Link));
            }
            Ok(view)
        })
        .await
    };
    match opened {
        Ok(view) => staged(http, request, &key, &view),
        Err(error) => request.fail_link(http, &key.token, &error, request.language()).await,
    }
}

fn staged(http: &Http, request: &PageRequest, key: &SigningKey, view: &SigningView) -> Response {
    let language = request.language_or(view.language);
    match &view.stage {
        Stage::AccessCode { .. } | Stage::OneTimeCode { .. } => {
            code_asked(http, request, key, &CodeQuestion::from(view))
        }
        Stage::Write => sign_page(request, key, view, language, "sign"),
        Stage::Watch => sign_page(request, key, view, language, "view"),
        // The sender can still see the outcome of the document.
        Stage::Ended if view.recipient.is_none() => sign_page(request, key, view, language, "view"),
        Stage::Waiting => request.end(Ending::Waiting, language, &about(view, language, None)),
        Stage::Done => {
            let approved = view.recipient.as_ref().and_then(|writer| writer.approved_at);
            let date = approved.map(|at| i18n::date_time(language, at, view.zone));
            request.end(Ending::Signed, language, &about(view, language, date))
        }
        Stage::Ended => {
            let expired = i18n::date_time(language, view.expires_at, view.zone);
            let (ending, date) = match view.status {
                Status::Rejected => return rejected(request, view, language),
                Status::Canceled => (Ending::Canceled, None),
                Status::Expired => (Ending::Expired, Some(expired)),
                Status::Complete | Status::Playing => (Ending::Complete, None),
            };
            request.end(ending, language, &about(view, language, date))
        }
    }
}

/// Signers who declined see that they did. Others see who declined, if they are allowed to.
fn rejected(request: &PageRequest, view: &SigningView, language: Language) -> Response {
    let about = about(view, language, None);
    match (&view.rejected_by, &view.recipient) {
        (Some(who), Some(holder)) if who.id == holder.id => request.end(Ending::RejectedByHolder, language, &about),
        (who, _) => {
            let name = who.as_ref().map(|who| who.name.clone());
            request.end(Ending::Rejected, language, &About { name, ..about })
        }
    }
}

/// Returns the details for such a page. The holder of the link already knows the document.
fn about(view: &SigningView, language: Language, date: Option<String>) -> About {
    About {
        document: Some(view.workflow_name.clone()),
        look: Some(view.look.clone()),
        date,
        name: None,
        new_link: None,
        // The next document's URL is returned by approving or declining, not to anyone who opens a used link.
        links: view
            .document_url
            .iter()
            .map(|address| Link {
                href: led_on(address, language),
                text: i18n::text(language, "end-open-document", &[]),
            })
            .collect(),
    }
}

pub(super) fn next_sign(request: &PageRequest) -> bool {
    request.get("next_sign") != Some("false")
}

fn callback(request: &PageRequest) -> bool {
    request.get("callback_fn") == Some("true")
}

/// Keeps the next document's page in the same mode and language.
pub(super) fn with_choices(request: &PageRequest, address: &str) -> String {
    let mut address = led_on(address, request.language());
    if callback(request) {
        address.push_str("&callback_fn=true");
    }
    address
}

/// Returns the page that asks for the code required by a link.
pub(in crate::pages) fn code_asked(
    http: &Http,
    request: &PageRequest,
    key: &SigningKey,
    question: &CodeQuestion,
) -> Response {
    match &question.stage {
        Stage::AccessCode { locked: true, .. } => locked(request, question),
        Stage::AccessCode { locked: false, .. } => code_page(request, key, question, None),
        _ => one_time_code_page(http, request, key, question, None),
    }
}

/// Explains that there were too many wrong codes and how to continue. Only a document in progress can be sent again.
pub(super) fn locked(request: &PageRequest, question: &CodeQuestion) -> Response {
    let ending = if question.is_complete {
        Ending::FilesLocked
    } else {
        Ending::Locked
    };
    let about = About {
        document: Some(question.workflow_name.clone()),
        look: Some(question.look.clone()),
        ..About::default()
    };
    request.end(ending, request.language_or(question.language), &about)
}

/// Asks for the access code. After a wrong code, shows the number of remaining tries.
pub(super) fn code_page(
    request: &PageRequest,
    key: &SigningKey,
    question: &CodeQuestion,
    left: Option<u32>,
) -> Response {
    let language = request.language_or(question.language);
    let content = CodePage {
        action: form(request, key, language, "/sign/access-code"),
        document: &question.workflow_name,
        hint: match &question.stage {
            Stage::AccessCode { hint, .. } => hint.as_deref(),
            _ => None,
        },
        wrong: left.is_some(),
        left: left.unwrap_or_default(),
    };
    let title = i18n::text(language, "sign-code-title", &[]);
    let frame = request.company_frame(language, title, &question.look);
    let status = if left.is_some() {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    respond(status, "access_code.html", &frame, &content)
}

/// Redirects to the link's page.
pub(super) fn to_page(http: &Http, request: &PageRequest, key: &SigningKey) -> Response {
    request.redirect(&request.onward(page_of(http, &key.token), &asked_for(request, key)))
}

/// Returns the URL of a form behind a link, with the token and the page's own parameters.
fn form(request: &PageRequest, key: &SigningKey, language: Language, path: &str) -> String {
    request.link(language, path, &asked_for(request, key))
}

/// Returns the link's token and the page's own parameters.
pub(super) fn asked_for<'a>(request: &'a PageRequest, key: &'a SigningKey) -> Vec<(&'static str, &'a str)> {
    let choices = ["callback_fn", "next_sign"]
        .into_iter()
        .filter_map(|name| Some((name, request.get(name)?)));
    std::iter::once(("token", key.token.as_str())).chain(choices).collect()
}

/// A fault in a one-time code, or in the request for one.
#[derive(Debug, Clone, Copy)]
pub(super) enum OneTimeFault {
    /// The code is wrong. Contains the number of remaining tries.
    Wrong(u32),
    /// We cannot send a code.
    Expired,
    /// Seconds until the next code can be sent.
    Wait(u64),
    /// Too many wrong codes. Contains the seconds until the next try.
    TooManyWrong(u64),
}

impl OneTimeFault {
    fn words(self, language: Language) -> String {
        let say = |key: &str| i18n::text(language, key, &[]);
        let count = |key: &str, count: u64| i18n::text(language, key, &[("count", &count.to_string())]);
        match self {
            Self::Wrong(0) => say("sign-one-time-used-up"),
            Self::Wrong(left) => format!(
                "{} {}",
                say("sign-one-time-wrong"),
                count("sign-tries-left", u64::from(left))
            ),
            Self::Expired => say("sign-one-time-expired"),
            Self::Wait(seconds) if seconds <= 60 => count("sign-one-time-wait-seconds", seconds),
            Self::Wait(seconds) => count("sign-one-time-wait-minutes", seconds.div_ceil(60)),
            Self::TooManyWrong(seconds) => {
                let wait = i18n::wait(language, seconds);
                i18n::text(language, "sign-one-time-too-many", &[("wait", &wait)])
            }
        }
    }
}

/// Asks for the one-time code. We send it only when the signer presses the button, because programs that follow links
/// must not trigger one.
pub(super) fn one_time_code_page(
    http: &Http,
    request: &PageRequest,
    key: &SigningKey,
    question: &CodeQuestion,
    fault: Option<OneTimeFault>,
) -> Response {
    let Stage::OneTimeCode { to, sent } = &question.stage else {
        // The subject of the page has changed meanwhile.
        return to_page(http, request, key);
    };
    let language = request.language_or(question.language);
    let mut random = [0; 16];
    http.app().random.fill(&mut random);
    let content = OneTimeCodePage {
        form: format!("{:032x}", u128::from_be_bytes(random)),
        send_action: form(request, key, language, "/sign/one-time-code/send"),
        action: form(request, key, language, "/sign/one-time-code"),
        document: &question.workflow_name,
        to,
        sent: *sent,
        minutes: domain::one_time_code::LIFE.as_mins(),
        wrong: matches!(fault, Some(OneTimeFault::Wrong(1..))),
        fault: fault.map(|fault| fault.words(language)),
    };
    let title = i18n::text(language, "sign-one-time-title", &[]);
    let frame = request.company_frame(language, title, &question.look);
    let (status, wait) = match fault {
        None => (StatusCode::OK, None),
        Some(OneTimeFault::Wait(seconds) | OneTimeFault::TooManyWrong(seconds)) => {
            (StatusCode::TOO_MANY_REQUESTS, Some(seconds))
        }
        Some(_) => (StatusCode::UNPROCESSABLE_ENTITY, None),
    };
    let mut response = respond(status, "one_time_code.html", &frame, &content);
    if let Some(seconds) = wait {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    response
}

fn sign_page(
    request: &PageRequest,
    key: &SigningKey,
    view: &SigningView,
    language: Language,
    mode: &'static str,
) -> Response {
    let base = &request.base;
    let token = &key.token;
    let filled = filled(view, language, base, token);
    let act = act(&filled);
    let pdf = view.pdf.to_string();
    let part = |part: &str, number: u32| format!("{base}/sign/{part}/{pdf}/{number}?token={token}");
    let waiting: Vec<&str> = view.writers_at_turn.iter().map(|writer| writer.name.as_str()).collect();
    let step = view
        .recipient
        .as_ref()
        .map(|writer| writer.order)
        .or_else(|| view.writers_at_turn.first().map(|writer| writer.order))
        .unwrap_or(view.steps);
    let sender = sender(view);
    let writer = view
        .recipient
        .as_ref()
        .filter(|_| mode == "sign")
        .map(|writer| writer.name.as_str());
    let open_until =
        (view.status == Status::Playing && view.expires_at != domain::time::never()).then_some(view.expires_at);
    let content = SignPage {
        mode,
        document: &view.workflow_name,
        sender: &sender,
        writer,
        waiting_for: (!waiting.is_empty()).then(|| waiting.join(", ")),
        ended: ended(view, language),
        step,
        steps: view.steps,
        comment: &view.comment,
        returned: view.returned.as_ref().map(|returned| Returned {
            by: &returned.by,
            reason: returned.reason.as_deref(),
            own_step: returned.from_order == step,
        }),
        until: open_until.map(|at| i18n::date_time(language, at, view.zone)),
        until_day: open_until.map(|at| i18n::date(language, domain::time::local_date(at, view.zone))),
        next_sign: next_sign(request),
        gives_back: view.gives_back,
        hand_over: view.hand_over,
        continued: view.continued,
        original: (mode == "sign").then(|| form(request, key, language, "/sign/document")),
        pages: pages(language, &view.pages, &filled, part),
        act,
        test_mark: view.test_mark.as_deref(),
        data: Script {
            token,
            workflow_id: Some(view.workflow_id.get()),
            recipient_id: view.recipient.as_ref().map(|writer| writer.id.get()),
            mode,
            language: language.code(),
            base,
            callback: callback(request),
            consented: !view.must_consent,
            consent_version: consent::VERSION,
            writer_name: writer.unwrap_or_default(),
            next_names: next_names(view, step),
            draft: Draft::of(view.draft.clone()),
            texts: texts::for_script(language, act),
        },
    };
    let title = i18n::text(language, "sign-title", &[("document", &view.workflow_name)]);
    let frame = request.company_frame(language, title, &view.look);
    respond(StatusCode::OK, "sign.html", &frame, &content)
}

/// Returns the fields with their current state.
fn filled<'v>(view: &'v SigningView, language: Language, base: &str, token: &str) -> Vec<Filled<'v>> {
    let fields = view.fields.iter();
    fields
        .map(|field| Filled {
            field: &field.field,
            owner: owner(view, field),
            value: field.value.as_deref(),
            look: field.look.clone(),
            fault: field.fault.as_ref().map(|fault| fault.message(language)),
            src: (field.file && field.field.kind.is_picture())
                .then(|| field_file(base, token, &field.field.name, None)),
        })
        .collect()
}

/// Returns the outcome of a document.
fn ended(view: &SigningView, language: Language) -> Option<String> {
    let say = |key: &str, told: &[(&str, &str)]| Some(i18n::text(language, key, told));
    match view.status {
        Status::Playing => None,
        Status::Complete => say("sign-ended-complete", &[]),
        Status::Canceled => say("sign-ended-canceled", &[]),
        Status::Expired => {
            let date = i18n::date_time(language, view.expires_at, view.zone);
            say("sign-ended-expired", &[("date", &date)])
        }
        Status::Rejected => match &view.rejected_by {
            Some(who) => say("sign-ended-rejected-by", &[("name", &who.name)]),
            None => say("sign-ended-rejected", &[]),
        },
    }
}

/// Returns the signers of the next step.
fn next_names(view: &SigningView, step: u32) -> Vec<&str> {
    let later = view.writers.iter().filter(|writer| writer.order > step);
    let Some(next) = later.clone().map(|writer| writer.order).min() else {
        return Vec::new();
    };
    later
        .filter(|writer| writer.order == next)
        .map(|writer| writer.name.as_str())
        .collect()
}

/// Returns the URL of the image in a field. The `revision` changes the URL, so that a page with an older image loads
/// the new one.
pub(super) fn field_file(base: &str, token: &str, field: &str, revision: Option<u64>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("token", token).append_pair("name", field);
    if let Some(revision) = revision {
        query.append_pair("revision", &revision.to_string());
    }
    format!("{base}/sign/file?{}", query.finish())
}

/// Returns the company, and the member if their name adds information.
fn sender(view: &SigningView) -> String {
    let name = &view.sender_name;
    // A member without a name is identified only by an e-mail address, which is private here.
    if name.is_empty() || *name == view.company_name || name.contains('@') {
        view.company_name.clone()
    } else {
        format!("{} ({})", view.company_name, view.sender_name)
    }
}

fn owner(view: &SigningView, field: &FieldView) -> Owner {
    if field.editable {
        return Owner::Mine;
    }
    if field.mine || !field.field.kind.is_written_by_writer() {
        return Owner::Sender;
    }
    let writer = view.writers.iter().find(|writer| belongs(field, writer));
    let name = writer.map_or_else(|| field.field.step.to_string(), |writer| writer.name.clone());
    // A field that a signer left empty stays empty. We only wait for signers who have not signed yet.
    let turn = view.writers_at_turn.first().map(|writer| writer.order);
    let waits = turn.is_some_and(|turn| {
        field.field.step > turn
            || writer.is_some_and(|writer| view.writers_at_turn.iter().any(|other| other.id == writer.id))
    });
    let empty = field.value.as_deref().unwrap_or_default().is_empty();
    if waits && empty {
        Owner::Waiting(name)
    } else {
        Owner::Done(name)
    }
}

fn belongs(field: &FieldView, writer: &SigningRecipient) -> bool {
    field.field.belongs_to(writer.order, writer.role.as_deref())
}
