//! `GET /sign/pages/{document}/{page}`, `GET /sign/texts/{document}/{page}`, `GET /sign/file`: the content of the
//! signing page.
//!
//! A page's image and text never change at their URL, which contains the document's hash. Browsers may cache them
//! forever, and a browser that still requests them (after a reload) gets a 304. Files in fields can be replaced by
//! their signer.

use app::{App, Error, FileContent, PageAnswer, PagePart, SigningKey, Subject};
use axum::body::Bytes;
use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::BlobHash;

use super::actions::origin;
use super::key;
use crate::frame::download::{Download, Wanted};
use crate::frame::path::ApiPath;
use crate::frame::problem::Failure;
use crate::frame::security_headers;
use crate::frame::state::Http;
use crate::html::path::PagePath;
use crate::html::request::{PageForm, PageRequest};

/// `GET /sign/pages/{document}/{page}`
pub async fn page(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    let key = key(&http, &asked.request);
    asked
        .answer(&http, move |app, file, page| {
            app.page_image(&key, file, page).map(PageAnswer::Kept)
        })
        .await
}

/// `GET /sign/texts/{document}/{page}`
pub async fn text(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    let key = key(&http, &asked.request);
    asked
        .answer(&http, move |app, file, page| app.page_text(&key, file, page))
        .await
}

/// A browser's request for a page's image or text.
pub struct AskedPart {
    document: String,
    page: u32,
    headers: HeaderMap,
    request: PageRequest,
}

impl<S> FromRequestParts<S> for AskedPart
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let ApiPath((document, page)) = ApiPath::from_request_parts(parts, state).await?;
        let request = match PageRequest::from_request_parts(parts, state).await {
            Ok(request) => request,
            Err(never) => match never {},
        };
        Ok(Self {
            document,
            page,
            headers: parts.headers.clone(),
            request,
        })
    }
}

impl AskedPart {
    /// Responds with the part, using the use case that checks access.
    async fn answer(
        self,
        http: &Http,
        part: impl FnOnce(&App, &BlobHash, u32) -> Result<PageAnswer, Error> + Send + 'static,
    ) -> Result<Response, Failure> {
        let document = BlobHash::parse(&self.document).ok_or(Failure::App(Error::NotFound(Subject::Page)))?;
        let part = http.page_part(move |app| part(app, &document, self.page)).await?;
        Ok(part_response(part, &self.headers))
    }

    /// Responds with the part, if the link and the entered codes allow it.
    pub(in crate::pages) async fn answer_by_key(
        self,
        http: &Http,
        part: fn(&App, &SigningKey, &BlobHash, u32) -> Result<PageAnswer, Error>,
    ) -> Result<Response, Failure> {
        let key = key(http, &self.request);
        self.answer(http, move |app, file, page| part(app, &key, file, page))
            .await
    }

    /// Responds with the part, if the link's token allows it.
    pub(in crate::pages) async fn answer_by_token(
        self,
        http: &Http,
        part: fn(&App, &str, &BlobHash, u32) -> Result<PageAnswer, Error>,
    ) -> Result<Response, Failure> {
        let token = self.request.get("token").unwrap_or_default().to_owned();
        self.answer(http, move |app, file, page| part(app, &token, file, page))
            .await
    }
}

/// Converts a page's image or text to a response. Its first bytes reliably identify the type, because only we produce
/// these parts.
fn part_response(part: PagePart, asked: &HeaderMap) -> Response {
    let media_type = match &part.bytes[..] {
        [0xFF, 0xD8, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', ..] => "image/webp",
        _ => "application/json",
    };
    let body = Bytes::from_owner(part.bytes);
    immutable_response(body, HeaderValue::from_static(media_type), part.hash, asked)
}

/// Returns a response that never changes at its URL, or 304 if the browser has it (RFC 9110, 13.1.2).
fn immutable_response(body: Bytes, media_type: HeaderValue, hash: BlobHash, asked: &HeaderMap) -> Response {
    let tag = format!("\"{hash}\"");
    let known = asked
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*");
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = body.into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        response
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    security_headers::immutable(headers);
    response
}

/// `POST /sign/document`: redirects to the document before anyone signs it. It uses a form, so that programs that
/// follow links (mail scanners, prefetching browsers) leave no entry in the audit trail. It redirects to a URL that
/// other programs can fetch, because browsers inside messengers pass downloads on as a plain GET.
pub async fn original(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let (key, origin) = (key(&http, &request), origin(&request));
    let led = http.blocking(move |app| {
        let file = app.signing_original(&key, Some(&origin))?;
        Ok((app.download_ticket(&key), file.file_name))
    });
    match led.await {
        Ok((ticket, name)) => {
            let name = security_headers::file_segment(&name);
            request.redirect(&format!("{}/sign/document/{ticket}/{name}", request.base))
        }
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `GET /sign/document/{ticket}/{name}`: the file. Its name is in the URL for programs that ignore headers.
pub async fn original_file(
    State(http): State<Http>,
    PagePath((ticket, _)): PagePath<(String, String)>,
    wanted: Wanted,
    request: PageRequest,
) -> Response {
    let origin = (!wanted.is_head).then(|| origin(&request));
    let found = http.blocking(move |app| {
        let key = app.key_of_ticket(&ticket).ok_or(Error::NotFound(Subject::Link))?;
        app.signing_original(&key, origin.as_ref())
    });
    match found.await {
        Ok(file) => wanted.answer(Download {
            media_type: HeaderValue::from_static("application/pdf"),
            disposition: Some(security_headers::attachment(&file.file_name)),
            bytes: file.bytes,
        }),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `GET /sign/file`
pub async fn file(State(http): State<Http>, wanted: Wanted, request: PageRequest) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let name = request.get("name").unwrap_or_default().to_owned();
    let file = http.blocking(move |app| app.signing_file(&key, &name)).await?;
    Ok(file_response(file, &wanted))
}

/// Returns an image in a field as a response. We send no other types, because an untrusted upload must never become one
/// of our pages.
pub(super) fn file_response(file: FileContent, wanted: &Wanted) -> Response {
    let media_type = match file.media_type.as_str() {
        "image/png" => "image/png",
        "image/jpeg" => "image/jpeg",
        // Only our own drawings have this type. Among uploads, only PNG and JPEG are images.
        "image/svg+xml" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let is_saved = media_type == "application/octet-stream";
    wanted.answer(Download {
        media_type: HeaderValue::from_static(media_type),
        disposition: is_saved.then(|| security_headers::attachment(&file.file_name)),
        bytes: file.bytes,
    })
}
