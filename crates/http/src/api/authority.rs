//! `GET /ca/root.pem`, `GET /ca/root.crl`: data about this installation's certification authority for external
//! verifiers.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};

use super::answers::FileBytes;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// A file of the authority, with its cache lifetime.
type AuthorityFile<T> = ([(HeaderName, HeaderValue); 2], T);

fn file<T>(media_type: &'static str, keep: &'static str, content: T) -> AuthorityFile<T> {
    (
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        ],
        content,
    )
}

/// Download the root certificate.
///
/// Anyone who trusts it can verify every seal of this installation.
#[utoipa::path(
    get, path = "/ca/root.pem", operation_id = "service_root_certificate", tag = "Service",
    responses((status = 200, description = "The certificate, PEM.", body = String, content_type = "application/x-pem-file")),
)]
pub async fn root_certificate(State(http): State<Http>) -> Result<AuthorityFile<String>, Failure> {
    let certificate = http.blocking(app::App::root_certificate).await?;
    Ok(file("application/x-pem-file", "public, max-age=86400", certificate))
}

/// Download the revocation list.
///
/// Lists seal certificates that are no longer valid. It is renewed every day. If the operator has configured its
/// address, seal certificates contain it.
#[utoipa::path(
    get, path = "/ca/root.crl", operation_id = "service_revocation_list", tag = "Service",
    responses((status = 200, description = "The list, DER.", body = FileBytes, content_type = "application/pkix-crl")),
)]
pub async fn revocation_list(State(http): State<Http>) -> Result<AuthorityFile<Vec<u8>>, Failure> {
    let list = http.blocking(app::App::revocation_list).await?;
    Ok(file("application/pkix-crl", "public, max-age=3600", list))
}
