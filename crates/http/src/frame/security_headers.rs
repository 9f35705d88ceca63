//! Security headers.
//!
//! - Content-Security-Policy: scripts, styles and images only from this server, nothing inline, no framing (`data:`
//!   images are drawings about to be uploaded).
//! - Referrer-Policy: the URL of a signing page grants access to it, so browsers must not send it to anyone. They then
//!   send `Origin: null` with forms. The token in the URL, or in the form, protects against forged requests.
//! - Cache-Control: `no-store` on every response, unless its handler sets a lifetime. That covers pages with a token in
//!   their URL, members' pages and API responses.
//! - Strict-Transport-Security: on every response if the public address is https. Two years, for this host only,
//!   because subdomains and preload lists are the operator's decision.
//! - Cross-Origin-Opener-Policy: only on members' pages. On the signing page it would cut off `window.opener`, through
//!   which the page reports completion.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use super::plain_name::plain_name;
use super::state::Http;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The outermost layer, which handles every response of the router.
pub async fn every(State(http): State<Http>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    every_answer(response.headers_mut(), http.is_public_https());
    response
}

/// Sets headers on every response, including those not written by the router.
pub fn every_answer(headers: &mut HeaderMap, is_public_https: bool) {
    headers.entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    if is_public_https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
}

/// Sets headers on every HTML page.
pub fn page(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    );
    private(headers);
}

/// Sets headers on pages that scripts of other sites never open.
pub fn own_window(headers: &mut HeaderMap) {
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
}

/// Sets headers on every response behind a secret: no storage, no referrer, no content sniffing.
pub fn private(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    always(headers);
}

/// Sets headers on page images, which never change at their URL but may be cached only by their reader.
pub fn immutable(headers: &mut HeaderMap) {
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    always(headers);
}

/// Sets headers on public files that never change at their URL.
pub fn immutable_for_all(headers: &mut HeaderMap) {
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    always(headers);
}

fn always(headers: &mut HeaderMap) {
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
}

/// Returns the `Content-Disposition` of a download: the name in UTF-8 (RFC 6266, RFC 8187), and an ASCII name for older
/// programs.
pub fn attachment(file_name: &str) -> HeaderValue {
    let cleaned = clean(file_name);
    let (plain, encoded) = (plain_name(&cleaned), percent_encoded(&cleaned, b"!#$&+-.^_`|~"));
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

/// Encodes a file's name as the last segment of a URL.
pub fn file_segment(file_name: &str) -> String {
    percent_encoded(&clean(file_name), b"-._~")
}

fn clean(file_name: &str) -> String {
    file_name
        .chars()
        .map(|c| {
            if c.is_control() || matches!(c, '/' | '\\') {
                '_'
            } else {
                c
            }
        })
        .collect()
}

fn percent_encoded(text: &str, unchanged: &[u8]) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || unchanged.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            use std::fmt::Write as _;
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_kept_to_itself() {
        let mut headers = HeaderMap::new();
        page(&mut headers);
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
        assert!(!headers.contains_key("cross-origin-opener-policy"));
    }

    #[test]
    fn a_file_name_in_any_script_is_carried() {
        assert_eq!(
            attachment("근로계약서 (1).pdf"),
            "attachment; filename=\"geunrogyeyakseo (1).pdf\"; \
             filename*=UTF-8''%EA%B7%BC%EB%A1%9C%EA%B3%84%EC%95%BD%EC%84%9C%20%281%29.pdf"
        );
        let nasty = attachment("a\"b\r\nX: y/../c%d.pdf");
        let text = nasty.to_str().unwrap();
        assert!(
            text.starts_with("attachment; filename=\"a_b__X: y_.._c_d.pdf\"; filename*="),
            "{text}"
        );
    }
}
