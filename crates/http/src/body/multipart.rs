//! Forms with files (`multipart/form-data`, RFC 7578), read completely into memory.
#![expect(clippy::disallowed_types, reason = "what axum refuses of a form is answered as ours")]

use app::Error;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};

use super::ignored_members::Unread;
use super::json;

/// Size allowed for a form in addition to the content of its parts.
const FRAME: u64 = 64 * 1024;
/// Larger than the number of parts in any of our forms. Further parts are ignored.
const MOST_PARTS: usize = 100;

#[derive(Debug, Clone)]
pub struct Part {
    pub name: String,
    /// The file name, if the part is a file.
    pub file_name: Option<String>,
    pub bytes: Bytes,
}

/// Returns the media type of a body in lower case, without parameters. Empty if missing.
pub fn media_type(headers: &HeaderMap) -> String {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(|essence| essence.trim().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Reads the parts of a form, at most `limit` bytes in total. Parts that the call does not accept are recorded as
/// unread ([`crate::body::ignored_members`]).
///
/// Fails with `Unsupported` if it is not a form, with `BrokenBody` if it is malformed, and like [`json::read`].
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
