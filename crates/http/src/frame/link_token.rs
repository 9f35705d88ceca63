//! The token of a link, read from the header that our browser code sends.

use axum::http::HeaderMap;

pub const LINK_TOKEN: &str = "link-token";

pub fn link_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(LINK_TOKEN)?.to_str().ok()
}
