//! A file as the answer to a call.

use app::FileContent;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::frame::security_headers;

/// The file as a download.
pub(crate) fn attachment(file: FileContent) -> Response {
    let disposition = security_headers::attachment(&file.file_name);
    let media_type =
        HeaderValue::from_str(&file.media_type).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let mut response = file.bytes.into_response();
    let headers = response.headers_mut();
    security_headers::private(headers);
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    response
}
