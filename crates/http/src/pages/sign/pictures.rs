//! `GET /sign/pages/{document}/{page}`, `GET /sign/file`: what the signing page shows.
//!
//! The picture of a page never changes under its address, which holds the document's hash; a file in
//! a field may be replaced by its writer.

use app::{FileContent, PageImage};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::key;
use crate::pages::request::PageRequest;
use crate::path::ApiPath;
use crate::problem::Failure;
use crate::router::Http;
use crate::security_headers;

/// `GET /sign/pages/{document}/{page}`
pub async fn page(
    State(http): State<Http>,
    ApiPath((_, number)): ApiPath<(String, u32)>,
    request: PageRequest,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let image = http.blocking(move |app| app.page_image(&key, number)).await?;
    Ok(page_response(image))
}

/// A page's picture as an answer.
pub(in crate::pages) fn page_response(image: PageImage) -> Response {
    let mut response = image.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/webp"));
    security_headers::immutable(headers);
    response
}

/// `GET /sign/file`
pub async fn file(State(http): State<Http>, request: PageRequest) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let name = request.get("name").unwrap_or_default().to_owned();
    let file = http.blocking(move |app| app.signing_file(&key, &name)).await?;
    Ok(file_response(file))
}

/// A picture in a field as an answer. Nothing else is shown: what a stranger uploaded is never a page
/// of ours.
pub(super) fn file_response(file: FileContent) -> Response {
    let media_type = match file.media_type.as_str() {
        "image/png" => HeaderValue::from_static("image/png"),
        "image/jpeg" => HeaderValue::from_static("image/jpeg"),
        _ => HeaderValue::from_static("application/octet-stream"),
    };
    let disposition = security_headers::attachment(&file.file_name);
    let mut response = file.bytes.into_response();
    let headers = response.headers_mut();
    if media_type == "application/octet-stream" {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    headers.insert(header::CONTENT_TYPE, media_type);
    security_headers::private(headers);
    response
}
