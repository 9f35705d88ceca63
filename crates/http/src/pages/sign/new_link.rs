//! `POST /sign/new-link`, `GET /sign/new-link`: the holder of a replaced signing link asks for a new one.
//!
//! The answer is always the same page, whatever we know about the link: its address does not even contain the link. So
//! a reload of it asks for nothing.

use axum::extract::State;
use axum::response::Response;

use super::actions::origin;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::request::{NEW_LINK, PageForm, PageRequest};

/// `POST /sign/new-link`
pub async fn ask(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let token = request.get("token").unwrap_or_default().to_owned();
    let origin = origin(&request);
    // The language of the address, not the signer's, which a stranger need not know.
    let language = request.language();
    match http.blocking(move |app| app.send_new_link(&token, &origin)).await {
        Ok(()) => request.redirect(&request.link(language, NEW_LINK, &[])),
        Err(error) => request.fail(&error, language),
    }
}

/// `GET /sign/new-link`
pub async fn asked(request: PageRequest) -> Response {
    request.end(Ending::NewLinkAsked, request.language(), &About::default())
}
