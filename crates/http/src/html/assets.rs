//! Browser code, styles and icon, embedded in the program. Each name contains the hash of the content, so browsers may
//! cache the files forever, and a new version has a new URL.
//!
//! `ui/build.mjs` writes the files, a gzip and a brotli copy of each, and the manifest.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use app::{Error, Subject};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::frame::path::ApiPath;
use crate::frame::problem::Failure;

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
struct Dist;

pub const PREFIX: &str = "/assets";

/// Maps names in the source to names with the hash.
static MANIFEST: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    Dist::get("manifest.json")
        .and_then(|file| serde_json::from_slice(&file.data).ok())
        .unwrap_or_default()
});

/// Returns the path of an asset, such as `/assets/pages-0123456789abcdef.css`. `None` if there is no such asset.
pub fn path(name: &str) -> Option<String> {
    MANIFEST.get(name).map(|hashed| format!("{PREFIX}/{hashed}"))
}

/// For files that never change at their URL.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For a file that may change at its URL.
const FOR_A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// `GET /assets/{name}`
pub async fn get(ApiPath(name): ApiPath<String>, headers: HeaderMap) -> Result<Response, Failure> {
    if !MANIFEST.values().any(|known| *known == name) {
        return Err(Error::NotFound(Subject::File).into());
    }
    file(&name, &headers, FOR_EVER)
}

/// `GET /favicon.ico`: the icon for responses that are not pages and cannot refer to it. The media type states its
/// format.
pub async fn icon(headers: HeaderMap) -> Result<Response, Failure> {
    let name = MANIFEST.get("icon.svg").ok_or(Error::NotFound(Subject::File))?;
    file(name, &headers, FOR_A_DAY)
}

fn file(name: &str, headers: &HeaderMap, kept: HeaderValue) -> Result<Response, Failure> {
    let media_type = media_type(name).ok_or(Error::NotFound(Subject::File))?;
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let takes = |encoding: &str| {
        accepted
            .split(',')
            .any(|part| part.split(';').next().is_some_and(|name| name.trim() == encoding))
    };
    let (file, encoding) = if takes("br") {
        (Dist::get(&format!("{name}.br")), Some("br"))
    } else if takes("gzip") {
        (Dist::get(&format!("{name}.gz")), Some("gzip"))
    } else {
        (Dist::get(name), None)
    };
    let file = file.ok_or(Error::NotFound(Subject::File))?;
    let body = match file.data {
        std::borrow::Cow::Borrowed(bytes) => Body::from(bytes),
        std::borrow::Cow::Owned(bytes) => Body::from(bytes),
    };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, kept);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Ok(response)
}

fn media_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "woff2" => Some("font/woff2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    async fn ask(name: &str, encoding: &'static str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        get(ApiPath(name.to_owned()), headers).await.into_response()
    }

    #[tokio::test]
    async fn every_asset_is_served_as_the_browser_takes_it() {
        assert!(!MANIFEST.is_empty());
        for hashed in MANIFEST.values() {
            for (accepted, expected) in [
                ("gzip, deflate, br", Some("br")),
                ("gzip;q=1", Some("gzip")),
                ("", None),
            ] {
                let response = ask(hashed, accepted).await;
                assert_eq!(response.status(), StatusCode::OK, "{hashed}");
                let encoding = response
                    .headers()
                    .get(header::CONTENT_ENCODING)
                    .map(|value| value.to_str().unwrap());
                assert_eq!(encoding, expected, "{hashed}");
            }
        }
    }

    #[tokio::test]
    async fn nothing_else_is_served() {
        for name in [
            "manifest.json",
            "pages.css",
            "../../Cargo.toml",
            "",
            "pages-0000000000000000.css",
        ] {
            assert_eq!(ask(name, "br").await.status(), StatusCode::NOT_FOUND, "{name}");
        }
    }
}
