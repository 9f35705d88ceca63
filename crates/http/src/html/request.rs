//! Parts of the request that every page reads (language, query, cookies and forms), and failure reporting.

use std::convert::Infallible;

use app::{CompanyLook, ConflictCode, Error, ForbiddenCode, MemberSession, Subject};
use axum::body::Body;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Language;

use super::ending::{self, About, Ending};
use super::language;
use super::render::Frame;
use crate::body::json;
use crate::frame::caller::SignedIn;
use crate::frame::client_address::ClientAddress;
use crate::frame::link_token;
use crate::frame::rate_limit;
use crate::frame::state::Http;

/// Where a new signing link is asked for.
pub const NEW_LINK: &str = "/sign/new-link";
/// Maximum size of a form. Forms are short: a token, a name, a password.
const FORM_LIMIT: u64 = 64 * 1024;
/// Maximum number of characters kept of a `User-Agent`.
const LONGEST_AGENT: usize = 1_000;

#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The path of the public address, usually empty.
    pub base: String,
    /// The requested path.
    pub path: String,
    /// The query parameters, then the fields of a form.
    pub pairs: Vec<(String, String)>,
    /// The parameters in links to other languages. For a form, only those that identify the page, and no typed values.
    address: Vec<(String, String)>,
    /// The client's address, and whether it used TLS.
    pub client: ClientAddress,
    /// The signed-in member, on `Session` routes.
    pub member: Option<MemberSession>,
    accepted: Option<Language>,
    headers: HeaderMap,
    public_url: String,
    secure: bool,
}

impl<S> FromRequestParts<S> for PageRequest
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let http = Http::from_ref(state);
        let client = ClientAddress::from_request_parts(parts, state).await?;
        let public = http.public_url();
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect();
        Ok(Self {
            base: base_path(public).to_owned(),
            public_url: public.to_owned(),
            path: own_path(parts.uri.path()),
            address: pairs.clone(),
            pairs,
            client,
            member: parts.extensions.get().map(|SignedIn(member)| member.clone()),
            accepted: parts
                .headers
                .get(header::ACCEPT_LANGUAGE)
                .and_then(|value| value.to_str().ok())
                .and_then(Language::negotiate),
            secure: public.starts_with("https://") || client.https,
            headers: parts.headers.clone(),
        })
    }
}

/// `https://host/path` → `/path`
fn base_path(public_url: &str) -> &str {
    let rest = public_url.split_once("://").map_or(public_url, |(_, rest)| rest);
    rest.find('/')
        .and_then(|slash| rest.get(slash..))
        .unwrap_or_default()
        .trim_end_matches('/')
}

/// Makes the path safe for our links. A URL that begins with two slashes, or with characters that browsers treat as
/// such, names another host (RFC 3986, 4.2).
fn own_path(path: &str) -> String {
    format!("/{}", path.trim_start_matches(['/', '\\']))
}

impl PageRequest {
    /// Extracts the request. Never fails.
    pub async fn of(parts: &mut Parts, http: &Http) -> Self {
        match Self::from_request_parts(parts, http).await {
            Ok(page) => page,
            Err(never) => match never {},
        }
    }

    /// Returns the last non-empty value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().rev().find(|(key, _)| key == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    /// The address to open this page again, without its language.
    pub fn own_address(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.address.iter().filter(|(name, _)| name != "lang"));
        let query = query.finish();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{query}", self.path)
    }

    /// Returns the language of `lang` in the URL.
    pub fn asked(&self) -> Option<Language> {
        self.get("lang").and_then(Language::parse)
    }

    /// Returns the language of the URL, otherwise the browser's, otherwise Korean.
    pub fn language(&self) -> Language {
        self.asked().or(self.accepted).unwrap_or_default()
    }

    /// Returns the language of the URL, otherwise `other`.
    pub fn language_or(&self, other: Language) -> Language {
        self.asked().unwrap_or(other)
    }

    /// Returns the frame of the requested page.
    pub fn frame(&self, language: Language, title: String) -> Frame {
        language::frame(language, &self.base, title, &self.path, &self.address)
    }

    /// Returns the frame of a company's page, with the company's look.
    pub fn company_frame(&self, language: Language, title: String, look: &CompanyLook) -> Frame {
        self.frame(language, title).of_company(&self.base, look)
    }

    /// Returns a URL for a link or form of a page in `language`, keeping the language.
    pub fn link(&self, language: Language, path: &str, pairs: &[(&str, &str)]) -> String {
        self.way(Some(language), path, pairs)
    }

    /// Returns a URL to redirect to, keeping the language requested, if any.
    pub fn onward(&self, path: &str, pairs: &[(&str, &str)]) -> String {
        self.way(self.asked(), path, pairs)
    }

    fn way(&self, language: Option<Language>, path: &str, pairs: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs {
            query.append_pair(name, value);
        }
        if let Some(language) = language {
            query.append_pair("lang", language.code());
        }
        let query = query.finish();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{path}{mark}{query}", self.base)
    }

    /// Returns a cookie's name in the browser. With the prefix, browsers accept the cookie only from this host and over
    /// TLS (RFC 6265bis, 4.1.3.2), so no other host can plant one. Browsers refuse the prefix over plain http.
    fn cookie_name(&self, name: &str) -> String {
        let prefix = if self.secure { "__Host-" } else { "" };
        format!("{prefix}{name}")
    }

    pub fn cookie(&self, name: &str) -> Option<&str> {
        let name = self.cookie_name(name);
        self.headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Returns a cookie that scripts cannot read and that browsers do not send with other sites' requests.
    pub fn set_cookie(&self, name: &str, value: &str, seconds: Option<i64>) -> Option<HeaderValue> {
        let secure = if self.secure { "; Secure" } else { "" };
        let name = self.cookie_name(name);
        let age = seconds
            .map(|seconds| format!("; Max-Age={seconds}"))
            .unwrap_or_default();
        HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{age}{secure}")).ok()
    }

    /// Whether the browser states that another host's page sent this request (`Sec-Fetch-Site`, Fetch Metadata 2.3).
    /// Browsers send the header over https and to localhost. Without it, as in Safari before 16.4, `Origin` must be our
    /// public address. If `Origin` is missing or `null`, as on our own pages, the sender is unknown.
    pub fn is_from_elsewhere(&self) -> bool {
        if let Some(site) = self.headers.get("sec-fetch-site") {
            return site != "same-origin" && site != "none";
        }
        self.headers
            .get(header::ORIGIN)
            .is_some_and(|origin| origin != "null" && !self.is_our_origin(origin))
    }

    /// Whether this `Origin` is our public address, over TLS if the request used TLS.
    fn is_our_origin(&self, origin: &HeaderValue) -> bool {
        let said = origin.to_str().ok().and_then(|text| url::Url::parse(text).ok());
        let ours = url::Url::parse(&self.public_url).ok().and_then(|mut ours| {
            if self.secure {
                ours.set_scheme("https").ok()?;
            }
            Some(ours.origin())
        });
        said.is_some_and(|said| Some(said.origin()) == ours)
    }

    pub fn user_agent(&self) -> Option<String> {
        let value = self.headers.get(header::USER_AGENT)?.to_str().ok()?;
        Some(value.chars().take(LONGEST_AGENT).collect())
    }

    /// Whether a browser is prefetching the page, which nobody may ever see. The header is `Sec-Purpose` (Fetch,
    /// 2.2.7). Older browsers send `Purpose`, `X-Purpose` or `X-Moz`.
    pub fn is_ahead(&self) -> bool {
        ["sec-purpose", "purpose", "x-purpose", "x-moz"]
            .into_iter()
            .filter_map(|name| self.headers.get(name)?.to_str().ok())
            .flat_map(|value| value.split([';', ',']))
            .map(str::trim)
            .any(|purpose| {
                ["prefetch", "prerender", "preview"]
                    .into_iter()
                    .any(|ahead| purpose.eq_ignore_ascii_case(ahead))
            })
    }

    /// Whether the client is a program that accepts JSON rather than a browser.
    pub fn asks_for_json(&self) -> bool {
        let accepted = self.headers.get_all(header::ACCEPT).iter();
        let mut kinds = accepted
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let mut asks = false;
        kinds.all(|kind| {
            asks |= kind == "application/json" || kind == "application/problem+json";
            kind != "text/html" && kind != "application/xhtml+xml"
        }) && asks
    }

    pub fn link_token(&self) -> Option<&str> {
        link_token::link_token(&self.headers)
    }

    /// Redirects to another page (GET).
    pub fn redirect(&self, address: &str) -> Response {
        let address = match HeaderValue::from_str(address) {
            Ok(address) => address,
            Err(error) => return self.fail(&Error::internal("redirecting", error), self.language()),
        };
        let mut response = StatusCode::SEE_OTHER.into_response();
        let headers = response.headers_mut();
        headers.insert(header::LOCATION, address);
        crate::frame::security_headers::private(headers);
        response
    }

    /// Returns the page for an error.
    pub fn fail(&self, error: &Error, language: Language) -> Response {
        let ending = ending_of(error);
        error.log();
        let mut response = self.end(ending, language, &About::default());
        name_wait(response.headers_mut(), error);
        response
    }

    /// Returns the page for an error behind a link. It has the look of the company that created the link, if there is
    /// one.
    pub async fn fail_link(&self, http: &Http, token: &str, error: &Error, language: Language) -> Response {
        if !matches!(error, Error::Conflict { .. }) {
            return self.fail(error, language);
        }
        error.log();
        let about = self.about_link(http, token).await;
        let ending = ending_of(error);
        let new_link = match ending {
            Ending::OldLink => self.new_link_form(http, token, language).await,
            _ => None,
        };
        self.end(ending, language, &About { new_link, ..about })
    }

    /// The address of the form with which the holder of a replaced signing link asks for a new one.
    async fn new_link_form(&self, http: &Http, token: &str, language: Language) -> Option<String> {
        let asked = token.to_owned();
        let offers = http.blocking(move |app| app.offers_new_link(&asked)).await;
        let is_offered = offers.inspect_err(Error::log).unwrap_or(false);
        is_offered.then(|| self.link(language, NEW_LINK, &[("token", token)]))
    }

    /// Returns details about a link that no longer opens: the company, so that the holder knows whom to ask.
    pub async fn about_link(&self, http: &Http, token: &str) -> About {
        let token = token.to_owned();
        let look = http.blocking(move |app| app.look_behind_link(&token)).await;
        About {
            look: look.ok().flatten(),
            ..About::default()
        }
    }

    pub fn end(&self, ending: Ending, language: Language, about: &About) -> Response {
        let mut frame = self.frame(language, String::new());
        if let Some(look) = &about.look {
            frame = frame.of_company(&self.base, look);
        }
        ending::page(ending, language, frame, about)
    }
}

/// Adds `Retry-After`, if a retry may help.
pub fn name_wait(headers: &mut HeaderMap, error: &Error) {
    if let Some(seconds) = error.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    rate_limit::describe(headers, error);
}

/// Returns the page for each error.
pub fn ending_of(error: &Error) -> Ending {
    match error {
        Error::NotFound(Subject::Link)
        | Error::Unauthenticated
        | Error::Forbidden(ForbiddenCode::AccessCode | ForbiddenCode::OneTimeCode) => Ending::UnknownLink,
        Error::Forbidden(_) => Ending::Forbidden,
        Error::Conflict { code, .. } => match code {
            ConflictCode::LinkReplaced => Ending::OldLink,
            ConflictCode::HandedOver => Ending::HandedOver,
            ConflictCode::AlreadyApproved => Ending::Signed,
            ConflictCode::Locked => Ending::Locked,
            ConflictCode::LinkClosed => Ending::LinkClosed,
            ConflictCode::LinkUsedUp => Ending::LinkUsedUp,
            ConflictCode::LinkEnded => Ending::LinkEnded,
            ConflictCode::NotYourTurn | ConflictCode::NotComplete => Ending::Waiting,
            _ => Ending::Complete,
        },
        Error::Throttled { .. } => Ending::Busy(StatusCode::TOO_MANY_REQUESTS),
        Error::Unavailable { .. } | Error::NotSealable(_) => Ending::Busy(StatusCode::SERVICE_UNAVAILABLE),
        Error::OutcomeUnknown(_) => Ending::Doubt,
        Error::FileLost(_) | Error::Internal { .. } => Ending::Trouble,
        Error::NotFound(_)
        | Error::NotJson
        | Error::BrokenBody
        | Error::Unprocessable(_)
        | Error::TooLarge { .. }
        | Error::Unsupported { .. } => Ending::Missing,
    }
}

/// The form parameters that identify its page, like those of a query.
const LEADING: [&str; 4] = ["token", "callback_fn", "next_sign", "next"];

/// Returns where the page that answers a form can be opened again, because the URLs of these forms accept no GET.
fn opened_at(path: String) -> String {
    match path.as_str() {
        "/sign/access-code" | "/sign/one-time-code" | "/sign/one-time-code/send" | "/sign/document" => {
            "/mail/sign".to_owned()
        }
        "/sign-out" => "/sign-in".to_owned(),
        _ => match path.strip_suffix("/link") {
            Some(message) if message.starts_with("/outbox/") => message.to_owned(),
            _ => path,
        },
    }
}

/// A page request whose body is a form. The form's fields are added to the query parameters.
#[derive(Debug, Clone)]
pub struct PageForm(pub PageRequest);

impl<S> FromRequest<S> for PageForm
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let mut page = PageRequest::of(&mut parts, &Http::from_ref(state)).await;
        let bytes = json::read(&parts.headers, body, FORM_LIMIT)
            .await
            .map_err(|error| page.fail(&error, page.language()))?;
        for (name, value) in url::form_urlencoded::parse(&bytes).into_owned() {
            if LEADING.contains(&name.as_str()) && page.address.iter().all(|(known, _)| *known != name) {
                page.address.push((name.clone(), value.clone()));
            }
            page.pairs.push((name, value));
        }
        page.path = opened_at(page.path);
        Ok(Self(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_never_another_sites_address() {
        for (path, own) in [
            ("/", "/"),
            ("/mail/sign", "/mail/sign"),
            ("//evil.example/a", "/evil.example/a"),
            ("///evil.example", "/evil.example"),
            ("/\\evil.example/a", "/evil.example/a"),
            ("\\\\evil.example", "/evil.example"),
        ] {
            assert_eq!(own_path(path), own, "{path}");
        }
    }

    #[test]
    fn the_path_of_the_public_address() {
        for (address, path) in [
            ("http://127.0.0.1:8080", ""),
            ("https://sign.example.com/", ""),
            ("https://example.com/sign", "/sign"),
            ("https://example.com/a/b/", "/a/b"),
        ] {
            assert_eq!(base_path(address), path, "{address}");
        }
    }
}
