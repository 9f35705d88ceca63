//! `GET /first-run`, `POST /first-run`: the first company and its owner, for the holder of the code that the server
//! prints.

use app::{App, Error, FirstRun};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use domain::{Language, Zone};
use serde::Serialize;

use super::sign_in;
use crate::frame::problem::Failure;
use crate::frame::security_headers;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::render::respond;
use crate::html::request::{PageForm, PageRequest, name_wait};

/// No entry is longer, except a password.
const LONGEST_ENTRY: usize = 1_024;

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    label: String,
    hint: Option<String>,
    kind: &'static str,
    autocomplete: &'static str,
    value: String,
    fault: Option<String>,
}

#[derive(Serialize)]
struct FirstRunPage {
    action: String,
    /// Without a code, the page says where to find one.
    has_code: bool,
    fault: Option<String>,
    entries: Vec<Entry>,
    zone: String,
    zones: Vec<&'static str>,
}

/// `GET /first-run`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    let language = request.language();
    match http.blocking(App::awaits_first_run).await {
        Ok(true) => {}
        Ok(false) => return request.redirect(&request.onward("/sign-in", &[])),
        Err(error) => return request.fail(&error, language),
    }
    let Some(code) = request.get("token").map(str::to_owned) else {
        return page(&request, StatusCode::OK, None);
    };
    match http.blocking(move |app| app.check_first_run(&code)).await {
        Ok(()) => page(&request, StatusCode::OK, None),
        Err(error) => request.fail(&error, language),
    }
}

/// `POST /first-run`
pub async fn create(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let language = request.language();
    if request.is_from_elsewhere() {
        return request.end(Ending::Forbidden, language, &About::default());
    }
    let entry = |name: &str| -> String {
        let text = request.get(name).unwrap_or_default();
        text.chars().take(LONGEST_ENTRY).collect()
    };
    let code = entry("token");
    let new = FirstRun {
        company_id: entry("company").trim().to_owned(),
        company_name: entry("company_name"),
        language,
        zone: Zone::parse(entry("zone").trim())
            .or_else(|| Zone::parse(zone_of(language)))
            .unwrap_or_default(),
        name: entry("name"),
        email: entry("email").trim().to_owned(),
        password: request.get("password").unwrap_or_default().to_owned(),
    };
    let address = request.client.address;
    let turn = match http.turn_to_log_in(address, &new.company_id).await {
        Ok(turn) => turn,
        Err(error) => return request.fail(&error, language),
    };
    let created = http
        .blocking(move |app| {
            let _turn = turn;
            app.first_run(&code, new)
        })
        .await;
    match created {
        Ok(signed_in) => sign_in::signed_in(&http, &request, &signed_in, &request.onward("/documents", &[])),
        Err(error @ (Error::NotFound(_) | Error::Internal { .. })) => request.fail(&error, language),
        Err(error) => {
            let mut response = page(&request, Failure::status_of(&error), Some(&error));
            name_wait(response.headers_mut(), &error);
            response
        }
    }
}

/// The zone that most readers of a language live in.
fn zone_of(language: Language) -> &'static str {
    match language {
        Language::Ko => "Asia/Seoul",
        Language::Ja => "Asia/Tokyo",
        Language::En => "Etc/UTC",
    }
}

fn page(request: &PageRequest, status: StatusCode, error: Option<&Error>) -> Response {
    let language = request.language();
    let faults = match error {
        Some(Error::Unprocessable(faults)) => faults.as_slice(),
        _ => &[],
    };
    let fault_of = |path: &str| {
        let fault = faults.iter().find(|fault| fault.path == path);
        fault.map(|fault| fault.message(language))
    };
    let entry = |name: &'static str, kind: &'static str, autocomplete: &'static str| {
        let hint = format!("first-run-{}-hint", name.replace('_', "-"));
        Entry {
            name,
            label: i18n::text(language, &format!("first-run-{}", name.replace('_', "-")), &[]),
            hint: i18n::has(language, &hint).then(|| i18n::text(language, &hint, &[])),
            kind,
            autocomplete,
            value: if kind == "password" {
                String::new()
            } else {
                request.get(name).unwrap_or_default().to_owned()
            },
            fault: fault_of(name),
        }
    };
    let content = FirstRunPage {
        action: request.link(
            language,
            "/first-run",
            &[("token", request.get("token").unwrap_or_default())],
        ),
        has_code: request.get("token").is_some(),
        fault: error
            .filter(|error| !matches!(error, Error::Unprocessable(_)))
            .map(|error| error.message(language)),
        entries: vec![
            entry("company_name", "text", "organization"),
            entry("company", "text", "off"),
            entry("name", "text", "name"),
            entry("email", "email", "username"),
            entry("password", "password", "new-password"),
        ],
        zone: request.get("zone").unwrap_or_else(|| zone_of(language)).to_owned(),
        zones: Zone::names().collect(),
    };
    let frame = request.frame(language, i18n::text(language, "first-run-title", &[]));
    let mut response = respond(status, "first_run.html", &frame, &content);
    let headers = response.headers_mut();
    security_headers::own_window(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
