//! Templates into pages.
//!
//! The templates are embedded. In them `t("key", name=value)` is a sentence in the page's language
//! and `asset("name")` the address of a file of `ui/`; a key or file that does not exist is an
//! error, which a test of every template would meet first.

use std::sync::LazyLock;

use app::CompanyLook;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Language;
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, ErrorKind, State, UndefinedBehavior, Value, context};
use rust_embed::RustEmbed;
use serde::Serialize;

use super::assets;
use super::look::FrameLook;
use super::prose;
use crate::frame::security_headers;

#[derive(RustEmbed)]
#[folder = "../../templates/pages"]
struct Templates;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment
        .set_loader(|name| Ok(Templates::get(name).and_then(|file| String::from_utf8(file.data.into_owned()).ok())));
    environment.add_function("t", sentence);
    environment.add_function("asset", asset);
    environment.add_filter("prose", |text: &str| Value::from_safe_string(prose::prose(text)));
    environment.add_filter("breakable", |path: &str| {
        Value::from_safe_string(prose::breakable(path))
    });
    environment
});

#[allow(clippy::needless_pass_by_value)] // minijinja hands keyword arguments over by value
fn sentence(state: &State<'_, '_>, key: &str, arguments: Kwargs) -> Result<String, minijinja::Error> {
    let language = state
        .lookup("lang")
        .and_then(|value| value.as_str().and_then(Language::parse))
        .ok_or_else(|| minijinja::Error::new(ErrorKind::UndefinedError, "the page has no language"))?;
    if !i18n::has(language, key) {
        return Err(minijinja::Error::new(
            ErrorKind::UndefinedError,
            format!("no sentence {key}"),
        ));
    }
    let values = arguments
        .args()
        .map(|name| Ok((name, arguments.get::<Value>(name)?.to_string())))
        .collect::<Result<Vec<_>, minijinja::Error>>()?;
    let pairs: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(i18n::text(language, key, &pairs))
}

fn asset(state: &State<'_, '_>, name: &str) -> Result<String, minijinja::Error> {
    let base = state.lookup("base").map(|value| value.to_string()).unwrap_or_default();
    assets::path(name)
        .map(|path| format!("{base}{path}"))
        .ok_or_else(|| minijinja::Error::new(ErrorKind::UndefinedError, format!("no asset {name}")))
}

/// One of the languages that a page offers.
#[derive(Debug, Clone, Serialize)]
pub struct LanguageLink {
    /// `ko`
    pub code: &'static str,
    /// In its own words.
    pub name: &'static str,
    /// The same page in this language.
    pub href: String,
    /// Is it the page's language?
    pub current: bool,
}

/// What every page has.
#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    /// The page's language.
    pub lang: &'static str,
    /// Path of the public address, mostly empty: addresses of the page begin with it.
    pub base: String,
    /// The other languages.
    pub languages: Vec<LanguageLink>,
    /// The title of the browser's tab.
    pub title: String,
    /// The company whose page it is, by name: who is asked for a code wants to know by whom.
    pub head: Option<String>,
    /// The company's own look, where it has one.
    pub look: Option<FrameLook>,
}

impl Frame {
    /// The frame of a page of this company.
    #[must_use]
    pub fn of_company(self, base: &str, look: &CompanyLook) -> Frame {
        Frame {
            head: Some(look.name.clone()),
            look: FrameLook::of(base, look),
            ..self
        }
    }
}

/// The text of a page.
pub fn html(template: &str, frame: &Frame, content: &impl Serialize) -> Result<String, minijinja::Error> {
    let merged = context! { ..Value::from(Serde(content)), ..Value::from(Serde(frame)) };
    ENVIRONMENT.get_template(template)?.render(merged)
}

/// A page as an answer, with its headers.
pub fn respond(status: StatusCode, template: &str, frame: &Frame, content: &impl Serialize) -> Response {
    match html(template, frame, content) {
        Ok(text) => {
            let mut response = (status, Body::from(text)).into_response();
            let headers = response.headers_mut();
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/html; charset=utf-8"),
            );
            if let Ok(language) = HeaderValue::from_str(frame.lang) {
                headers.insert(header::CONTENT_LANGUAGE, language);
            }
            security_headers::page(headers);
            response
        }
        Err(error) => {
            tracing::error!(template, error = %error, "a page could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
