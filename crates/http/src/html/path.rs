//! Path parameters of pages. Unreadable ones get the same response as in [`crate::frame::path`], as a page.
#![expect(
    clippy::disallowed_types,
    reason = "axum's extractor is read here, and its refusal made ours"
)]

use app::{Error, Subject};
use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::request::PageRequest;
use crate::frame::state::Http;

#[derive(Debug, Clone)]
pub struct PagePath<T>(pub T);

impl<S, T> FromRequestParts<S> for PagePath<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
    Http: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        if let Ok(Path(read)) = Path::<T>::from_request_parts(parts, state).await {
            return Ok(Self(read));
        }
        let page = match PageRequest::from_request_parts(parts, state).await {
            Ok(page) => page,
            Err(never) => match never {},
        };
        Err(page.fail(&Error::NotFound(Subject::Endpoint), page.language()))
    }
}
