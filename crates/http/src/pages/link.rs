//! `GET /link`, `POST /link`: visitors to a public link enter their name and contact, and continue to the signing page.
//!
//! A plain GET, which mail scanners send, starts nothing. Each start costs a document and perhaps a message, so starts
//! are limited per address. Refused tries, mostly typing mistakes, cost little and are counted separately, so that a
//! shared device where many people make mistakes is not locked out.
//!
//! If a start is refused, the form is shown again with its entries, the reason and, if there is one, the time of the
//! next try. Another page is shown only if the form is no longer usable because the link has ended, or because we do
//! not know whether the document was started. Programs that request JSON get the API's problem details.

use app::{ConflictCode, Error, Fault, LinkInvitation, LinkLeads, LinkVisitor, Origin, SignerError};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Language;
use serde::Serialize;

use crate::frame::problem::Failure;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::render::respond;
use crate::html::request::{PageForm, PageRequest, name_wait};

/// Maximum length of a name or contact. Longer ones are cut, and then refused.
const LONGEST_ENTRY: usize = 300;

#[derive(Serialize)]
struct LinkPage<'a> {
    /// The form's URL, including the token, so that the resulting page can be opened again.
    action: String,
    company: &'a str,
    document: &'a str,
    promises_copy: bool,
    confirm: bool,
    name: &'a str,
    contact: &'a str,
    agreed: bool,
    #[serde(flatten)]
    said: Said,
}

/// The errors in the entries, in words.
#[derive(Default, Serialize)]
struct Said {
    /// An error about the form as a whole.
    notice: Option<String>,
    name_fault: Option<String>,
    contact_fault: Option<String>,
    agree_fault: Option<String>,
}

impl Said {
    /// Returns the texts for an error. `None` if the form is no longer usable.
    fn of(error: &Error, language: Language) -> Option<Self> {
        match error {
            Error::Unprocessable(faults) => {
                let said = |path: &str| {
                    let fault = faults.iter().find(|fault| fault.path == path)?;
                    Some(words(fault, language))
                };
                Some(Self {
                    notice: None,
                    name_fault: said("name"),
                    contact_fault: said("contact"),
                    agree_fault: said("agree"),
                })
            }
            // Only this contact is throttled. Another one may work.
            Error::Conflict {
                code: ConflictCode::LinkTaken,
                ..
            } => Some(Self {
                contact_fault: Some(i18n::text(language, "link-taken", &[])),
                ..Self::default()
            }),
            // Visitors must find out whether the document was started before they try again.
            Error::Conflict { .. } | Error::NotFound(_) | Error::OutcomeUnknown(_) => None,
            _ => Some(Self {
                notice: Some(SignerError::from(error).message(language)),
                ..Self::default()
            }),
        }
    }
}

/// `GET /link`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    match invitation(&http, &request).await {
        Ok(invitation) => page(&request, &invitation, StatusCode::OK, Said::default()),
        Err(error) => refused(&http, &request, None, error).await,
    }
}

/// Responds to a refused try: shows the form again if possible, otherwise another page.
async fn refused(http: &Http, request: &PageRequest, invitation: Option<&LinkInvitation>, error: Error) -> Response {
    if request.asks_for_json() {
        return Failure::from(error).into_response();
    }
    let language = invitation.map_or_else(|| request.language(), |shown| request.language_or(shown.language));
    if let Some(invitation) = invitation
        && let Some(said) = Said::of(&error, language)
    {
        error.log();
        let mut response = page(request, invitation, Failure::status_of(&error), said);
        name_wait(response.headers_mut(), &error);
        return response;
    }
    let token = request.get("token").unwrap_or_default();
    request.fail_link(http, token, &error, language).await
}

async fn invitation(http: &Http, request: &PageRequest) -> Result<LinkInvitation, Error> {
    let token = request.get("token").unwrap_or_default().to_owned();
    http.blocking(move |app| app.open_public_link(&token)).await
}

/// `POST /link`
pub async fn begin(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let invitation = match invitation(&http, &request).await {
        Ok(invitation) => invitation,
        Err(error) => return refused(&http, &request, None, error).await,
    };
    let language = request.language_or(invitation.language);
    let (visits, address) = (http.visits(), request.client.address);
    if let Err(error) = visits.begin(address, http.app().now()) {
        return refused(&http, &request, Some(&invitation), error).await;
    }
    let entry = |name: &str| -> String {
        let text = request.get(name).unwrap_or_default();
        text.chars().take(LONGEST_ENTRY).collect()
    };
    let token = request.get("token").unwrap_or_default().to_owned();
    let visitor = LinkVisitor {
        name: entry("name"),
        contact: entry("contact"),
        language: Some(language),
        agreed: request.get("agree").is_some(),
    };
    let origin = Origin {
        address: Some(request.client.address.to_string()),
        user_agent: request.user_agent(),
    };
    let led = http
        .blocking(move |app| app.use_public_link(&token, &visitor, &origin))
        .await;
    if led.is_err() {
        visits.refused(address, http.app().now());
    }
    match led {
        Ok(LinkLeads::To(address)) => {
            // Relative to the page, however it was reached.
            let path = address.strip_prefix(http.public_url()).unwrap_or(&address);
            request.redirect(&format!("{}{path}", request.base))
        }
        Ok(LinkLeads::ToMessage) => {
            let about = About {
                document: Some(invitation.document),
                look: Some(invitation.look.clone()),
                ..About::default()
            };
            let mut frame = request.company_frame(language, String::new(), &invitation.look);
            frame.languages.clear();
            crate::html::ending::page(Ending::LinkSent, language, frame, &about)
        }
        Err(error) => refused(&http, &request, Some(&invitation), error).await,
    }
}

fn page(request: &PageRequest, invitation: &LinkInvitation, status: StatusCode, said: Said) -> Response {
    let language = request.language_or(invitation.language);
    let content = LinkPage {
        action: request.link(
            language,
            "/link",
            &[("token", request.get("token").unwrap_or_default())],
        ),
        company: &invitation.company_name,
        document: &invitation.document,
        promises_copy: invitation.promises_copy,
        confirm: invitation.confirm,
        name: request.get("name").unwrap_or_default(),
        contact: request.get("contact").unwrap_or_default(),
        agreed: request.get("agree").is_some(),
        said,
    };
    let title = i18n::text(language, "link-title", &[("document", &invitation.document)]);
    let frame = request.company_frame(language, title, &invitation.look);
    let mut response = respond(status, "link.html", &frame, &content);
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Formats a fault for the form.
fn words(fault: &Fault, language: Language) -> String {
    match (fault.path.as_str(), fault.code) {
        ("agree", _) => i18n::text(language, "link-agree-missing", &[]),
        (_, app::FaultCode::Required) => i18n::text(language, "link-required", &[]),
        _ => fault.message(language),
    }
}
