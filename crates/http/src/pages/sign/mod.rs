//! The signing page, and what it asks of the server while somebody fills it in.
//!
//! Who may do what follows from the link's token: in the address of the page and of its pictures, in
//! the header `link-token` of what the browser code sends (a header of its own, which a form of
//! another site cannot send). Where the sender set an access code, the proof that it was given is a
//! cookie that scripts cannot read.

use app::{LinkToken, SigningKey};

use super::request::PageRequest;
use crate::router::Http;

pub mod actions;
pub mod drawings;
pub mod page;
pub mod pictures;
pub mod preview;
pub mod texts;
pub mod view;

/// The cookie with the proof of the access code, one a recipient.
fn proof_cookie(http: &Http, token: &str) -> Option<String> {
    let token = LinkToken::decode(token, &http.app().vault)?;
    Some(format!("countersign_access_{}", token.subject))
}

/// What the request opens.
fn key(http: &Http, request: &PageRequest) -> SigningKey {
    let token = request
        .link_token()
        .or_else(|| request.get("token"))
        .unwrap_or_default()
        .to_owned();
    let proof = proof_cookie(http, &token).and_then(|name| request.cookie(&name).map(str::to_owned));
    SigningKey { token, proof }
}
