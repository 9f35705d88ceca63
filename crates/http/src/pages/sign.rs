//! The signing page and the requests of its script.
//!
//! The link's token determines permissions. It is in the URLs of the page and of its images, and in the `link-token`
//! header of the script's requests, which no other site's form can send. If the sender set an access code or requires a
//! one-time code, a cookie that scripts cannot read proves that the code was entered.

use app::{LinkToken, SigningKey};
use axum::http::Method;

use crate::frame::route::{Authority, Route, route};
use crate::frame::state::Http;
use crate::html::request::{NEW_LINK, PageRequest};

pub mod actions;
pub mod drawings;
pub mod new_link;
pub mod page;
pub mod pictures;
pub mod preview;
pub mod texts;
pub mod view;

pub fn routes() -> Vec<Route> {
    use Authority::LinkToken;
    vec![
        route(Method::GET, "/mail/sign", LinkToken, page::mail),
        route(Method::POST, "/mail/sign", LinkToken, page::mail_form),
        route(Method::GET, "/api/{company}/sign", LinkToken, page::company),
        route(Method::POST, "/api/{company}/sign", LinkToken, page::company_form),
        route(Method::POST, "/sign/viewed", LinkToken, actions::viewed),
        route(Method::POST, "/sign/access-code", LinkToken, actions::access_code),
        route(Method::GET, "/sign/access-code", LinkToken, actions::back_to_page),
        route(
            Method::POST,
            "/sign/one-time-code/send",
            LinkToken,
            actions::send_one_time_code,
        ),
        route(
            Method::GET,
            "/sign/one-time-code/send",
            LinkToken,
            actions::back_to_page,
        ),
        route(Method::POST, "/sign/one-time-code", LinkToken, actions::one_time_code),
        route(Method::GET, "/sign/one-time-code", LinkToken, actions::back_to_page),
        route(Method::POST, NEW_LINK, LinkToken, new_link::ask),
        route(Method::GET, NEW_LINK, Authority::Public, new_link::asked),
        route(Method::POST, "/sign/consent", LinkToken, actions::consent),
        route(Method::PUT, "/sign/drafts", LinkToken, actions::drafts),
        route(Method::POST, "/sign/files", LinkToken, actions::files).taking_files(),
        route(Method::POST, "/sign/drawings", LinkToken, drawings::choices),
        route(Method::POST, "/sign/approve", LinkToken, actions::approve),
        route(Method::POST, "/sign/reject", LinkToken, actions::reject),
        route(Method::POST, "/sign/hand-over", LinkToken, actions::hand_over),
        route(Method::GET, "/sign/pages/{document}/{page}", LinkToken, pictures::page),
        route(Method::GET, "/sign/texts/{document}/{page}", LinkToken, pictures::text),
        route(Method::GET, "/sign/file", LinkToken, pictures::file),
        route(Method::POST, "/sign/document", LinkToken, pictures::original),
        route(
            Method::GET,
            "/sign/document/{ticket}/{name}",
            LinkToken,
            pictures::original_file,
        ),
        route(Method::GET, "/mail/preview", LinkToken, preview::page),
        route(
            Method::GET,
            "/mail/preview/pages/{document}/{page}",
            LinkToken,
            preview::picture,
        ),
        route(
            Method::GET,
            "/mail/preview/texts/{document}/{page}",
            LinkToken,
            preview::text,
        ),
        route(Method::GET, "/mail/preview/file", LinkToken, preview::file),
    ]
}

#[derive(Clone, Copy)]
enum Proof {
    /// The access code that the sender set.
    Access,
    /// The one-time code that the signer received.
    OneTime,
}

/// Returns the name of the cookie that proves a code. Each recipient has their own.
fn proof_cookie(http: &Http, token: &str, proof: Proof) -> Option<String> {
    let token = LinkToken::decode(token, &http.app().vault)?;
    let word = match proof {
        Proof::Access => "access",
        Proof::OneTime => "one_time",
    };
    Some(format!("countersign_{word}_{}", token.subject))
}

/// Returns the page of a link: the signing page, or the page of a signer's finished files.
fn page_of(http: &Http, token: &str) -> &'static str {
    match LinkToken::decode(token, &http.app().vault) {
        Some(token) if token.purpose.is_signers_file() => "/mail/view",
        _ => "/mail/sign",
    }
}

/// Returns the token and proofs with which the request opens a document.
pub(super) fn key(http: &Http, request: &PageRequest) -> SigningKey {
    let token = request
        .link_token()
        .or_else(|| request.get("token"))
        .unwrap_or_default()
        .to_owned();
    let held = |proof| {
        let name = proof_cookie(http, &token, proof)?;
        request.cookie(&name).map(str::to_owned)
    };
    SigningKey {
        proof: held(Proof::Access),
        one_time_proof: held(Proof::OneTime),
        token,
    }
}
