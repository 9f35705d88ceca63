//! Renders the embedded templates.
//!
//! In templates, `t("key", name=value)` is a text in the page's language, and `asset("name")` is the URL of a file of
//! `ui/`. A missing key or file is an error, which the test of all templates would find.

use std::fmt;
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

/// A link to the page in another language.
#[derive(Debug, Clone, Serialize)]
pub struct LanguageLink {
    /// `ko`
    pub code: &'static str,
    /// The language's name in that language.
    pub name: &'static str,
    /// The same page in this language.
    pub href: String,
    pub current: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    pub lang: &'static str,
    /// The path of the public address, usually empty. URLs in the page begin with it.
    pub base: String,
    pub languages: Vec<LanguageLink>,
    /// The title of the browser tab.
    pub title: String,
    /// The name of the page's company.
    pub head: Option<String>,
    /// The company's own look, if it has one.
    pub look: Option<FrameLook>,
    /// On members' pages.
    pub console: Option<ConsoleFrame>,
}

/// What signed-in members see around every page.
#[derive(Clone, Serialize)]
pub struct ConsoleFrame {
    /// The navigation.
    pub links: Vec<ConsoleLink>,
    pub email: String,
    pub company_name: String,
    /// Where the sign-out form is sent.
    pub sign_out: String,
    pub csrf: String,
}

impl fmt::Debug for ConsoleFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConsoleFrame(…)")
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct ConsoleLink {
    pub href: String,
    pub text: String,
    pub is_current: bool,
}

impl Frame {
    /// Adds this company's look to the frame.
    #[must_use]
    pub fn of_company(self, base: &str, look: &CompanyLook) -> Frame {
        Frame {
            head: Some(look.name.clone()),
            look: FrameLook::of(base, look),
            ..self
        }
    }
}

pub fn html(template: &str, frame: &Frame, content: &impl Serialize) -> Result<String, minijinja::Error> {
    let merged = context! { ..Value::from(Serde(content)), ..Value::from(Serde(frame)) };
    ENVIRONMENT.get_template(template)?.render(merged)
}

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
            tracing::error!(template, error = %error, "a page could not be rendered");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
