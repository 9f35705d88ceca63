//! Sends a file as a response.

use app::{Actor, App, Error, FileContent, Origin};
use axum::http::HeaderValue;
use axum::response::Response;
use domain::{FileKind, WorkflowId};

use crate::frame::download::{Download, Wanted};
use crate::frame::security_headers;

/// A finished file. A HEAD request downloads nothing, so it is not recorded.
pub(crate) fn finished(
    app: &App,
    actor: &Actor,
    (id, kind): (WorkflowId, FileKind),
    origin: &Origin,
    wanted: &Wanted,
) -> Result<FileContent, Error> {
    match kind {
        _ if wanted.is_head => app.unrecorded_file(actor, id, kind),
        FileKind::Document => app.document(actor, id, origin),
        FileKind::Certificate => app.certificate(actor, id, origin),
    }
}

/// Returns the file as a download.
pub(crate) fn attachment(file: FileContent, wanted: &Wanted) -> Response {
    let media_type = HeaderValue::from_str(&file.media_type);
    wanted.answer(Download {
        media_type: media_type.unwrap_or(HeaderValue::from_static("application/octet-stream")),
        disposition: Some(security_headers::attachment(&file.file_name)),
        bytes: file.bytes,
    })
}
