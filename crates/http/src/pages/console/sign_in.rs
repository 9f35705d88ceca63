//! `GET /sign-in`, `POST /sign-in`, `POST /sign-out`.

use app::{LoginAttempt, LoginRefusal, SignedIn};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use super::{Member, check_form};
use crate::frame::caller::SESSION_COOKIE;
use crate::frame::security_headers;
use crate::frame::state::Http;
use crate::html::render::respond;
use crate::html::request::{PageForm, PageRequest};

/// Ties the sign-in form to the browser that requested it.
const FORM_COOKIE: &str = "countersign_form";
/// Maximum length of a company id or address.
const LONGEST_NAME: usize = 1_024;

#[derive(Serialize)]
struct LoginPage<'a> {
    action: String,
    csrf: &'a str,
    next: &'a str,
    fault: Option<String>,
    company_id: &'a str,
    email: &'a str,
}

/// `GET /sign-in`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    page(&http, &request, StatusCode::OK, None)
}

fn page(http: &Http, request: &PageRequest, status: StatusCode, fault: Option<&str>) -> Response {
    let language = request.language();
    let form = http.app().sign_in_form(request.cookie(FORM_COOKIE));
    let content = LoginPage {
        action: request.link(language, "/sign-in", &[]),
        csrf: &form.token,
        next: next(request),
        fault: fault.map(|key| i18n::text(language, key, &[])),
        company_id: request.get("company").unwrap_or_default(),
        email: request.get("email").unwrap_or_default(),
    };
    let frame = request.frame(language, i18n::text(language, "login-title", &[]));
    let mut response = respond(status, "login.html", &frame, &content);
    security_headers::own_window(response.headers_mut());
    if let Some(cookie) = request.set_cookie(FORM_COOKIE, &form.cookie, None) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The page to show next: one of the console's, never another site's.
fn next(request: &PageRequest) -> &str {
    request
        .get("next")
        .filter(|address| is_ours(address))
        .unwrap_or("/documents")
}

fn is_ours(address: &str) -> bool {
    let rest = ["/documents", "/outbox"]
        .iter()
        .find_map(|part| address.strip_prefix(part));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/?&=%+-_.~*".contains(&byte);
    rest.is_some_and(|rest| matches!(rest.bytes().next(), None | Some(b'/' | b'?')) && rest.bytes().all(is_plain))
}

/// The address that [`next`] returned, in the language that the request asks for.
fn onward(request: &PageRequest) -> String {
    let (path, query) = next(request).split_once('?').unwrap_or((next(request), ""));
    let query: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let query: Vec<(&str, &str)> = query
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    request.onward(path, &query)
}

/// `POST /sign-in`
pub async fn sign_in(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let token = request.get("csrf").unwrap_or_default();
    let is_ours = http
        .app()
        .check_sign_in_form(request.cookie(FORM_COOKIE), token)
        .is_ok();
    if !is_ours || request.is_from_elsewhere() {
        return page(&http, &request, StatusCode::FORBIDDEN, Some("login-stale"));
    }
    let text = |name: &str| {
        request
            .get(name)
            .unwrap_or_default()
            .chars()
            .take(LONGEST_NAME)
            .collect::<String>()
    };
    let attempt = LoginAttempt {
        company: text("company").trim().to_owned(),
        email: text("email").trim().to_owned(),
        password: request.get("password").unwrap_or_default().to_owned(),
        address: request.client.address,
    };
    let turn = match http.turn_to_log_in(attempt.address, &attempt.company).await {
        Ok(turn) => turn,
        Err(error) => return request.fail(&error, request.language()),
    };
    let before = request.cookie(SESSION_COOKIE).map(str::to_owned);
    let attempted = http
        .blocking(move |app| {
            let _turn = turn;
            Ok(app.sign_in(&attempt, before.as_deref()))
        })
        .await;
    match attempted {
        Ok(Ok(session)) => signed_in(&http, &request, &session, &onward(&request)),
        Ok(Err(LoginRefusal::Throttled { retry_after })) => {
            let mut response = page(&http, &request, StatusCode::TOO_MANY_REQUESTS, Some("login-throttled"));
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(retry_after.max(1)));
            response
        }
        Ok(Err(LoginRefusal::Failed(error))) | Err(error) => request.fail(&error, request.language()),
        Ok(Err(_)) => page(&http, &request, StatusCode::UNAUTHORIZED, Some("login-wrong")),
    }
}

/// Gives the browser its session, and leads it to an address of ours.
pub(super) fn signed_in(http: &Http, request: &PageRequest, session: &SignedIn, address: &str) -> Response {
    let seconds = http.app().settings.session_seconds;
    let mut response = request.redirect(address);
    let cookies = [
        request.set_cookie(SESSION_COOKIE, session.cookie.expose(), Some(seconds)),
        request.set_cookie(FORM_COOKIE, "", Some(0)),
    ];
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// `POST /sign-out`
pub async fn sign_out(State(http): State<Http>, Member(session): Member, PageForm(request): PageForm) -> Response {
    if let Err(refused) = check_form(&request, &session) {
        return *refused;
    }
    let cookie = request.cookie(SESSION_COOKIE).unwrap_or_default().to_owned();
    if let Err(error) = http.blocking(move |app| app.sign_out(&cookie)).await {
        return request.fail(&error, request.language());
    }
    let mut response = request.redirect(&request.onward("/sign-in", &[]));
    if let Some(cookie) = request.set_cookie(SESSION_COOKIE, "", Some(0)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn signing_in_leads_only_to_pages_of_the_console() {
        for address in [
            "/documents",
            "/documents/12",
            "/documents?q=%EA%B3%84&tab=all",
            "/outbox/3",
        ] {
            assert!(is_ours(address), "{address}");
        }
        for address in [
            "",
            "/",
            "//evil.example",
            "/documents.evil.example",
            "/documentsx",
            "/documents\\evil",
            "/documents/\r\nx: y",
            "https://evil.example/documents",
            "/sign-out",
            "/api/v3/workflows",
        ] {
            assert!(!is_ours(address), "{address}");
        }
    }
}
