//! Forms with files (`multipart/form-data`, RFC 7578), read whole.
#![expect(clippy::disallowed_types, reason = "what axum refuses of a form is answered as ours")]

use app::Error;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};

use super::ignored_members::Unread;
use super::json;

/// What a form needs besides what its members hold.
const FRAME: u64 = 64 * 1024;
/// More members than any form of ours has; what follows is unread.
const MOST_PARTS: usize = 100;

/// One member of a form.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The name of the file, where it is one.
    pub file_name: Option<String>,
    /// What it holds.
    pub bytes: Bytes,
}

/// The media type of a body, without its parameters, in lower case; empty where none is said.
pub fn media_type(headers: &HeaderMap) -> String {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(|essence| essence.trim().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The members of a form, which hold at most `limit` bytes together. Those that the call does not have are unread
/// ([`crate::body::ignored_members`]).
///
/// Fails with `Unsupported` where it is no form, with `BrokenBody` where it is a broken one, and as [`json::read`].
pub async fn read(request: Request, limit: u64) -> Result<Vec<Part>, Error> {
    if media_type(request.headers()) != "multipart/form-data" {
        return Err(Error::Unsupported {
            expected: Some("multipart/form-data"),
        });
    }
    let (head, body) = request.into_parts();
    let unread = Unread::of(&head.extensions);
    let whole = json::read(&head.headers, body, limit.saturating_add(FRAME)).await?;
    let request = Request::from_parts(head, Body::from(whole));
    let broken = || Error::BrokenBody;
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| broken())?;
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|_| broken())? {
        let name = field.name().unwrap_or_default().to_owned();
        if parts.len() >= MOST_PARTS {
            unread.add("", &name);
            continue;
        }
        unread.add_part(&name);
        parts.push(Part {
            name,
            file_name: field.file_name().map(str::to_owned),
            bytes: field.bytes().await.map_err(|_| broken())?,
        });
    }
    Ok(parts)
}
