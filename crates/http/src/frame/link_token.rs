//! The token of a link, in the header in which our browser code sends it.

use axum::http::HeaderMap;

/// The header in which the browser code sends the link's token.
pub const LINK_TOKEN: &str = "link-token";

/// The token that the browser code sends.
pub fn link_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(LINK_TOKEN)?.to_str().ok()
}
