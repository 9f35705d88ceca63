//! What stands in the path of an address.
//!
//! A path names a thing. So what cannot be read (no UTF-8, no number where one belongs) is answered like the name of a
//! thing that does not exist: 404, a problem for programs and a page for people. axum's own extractors would answer
//! 400 in plain English, in neither shape; `clippy.toml` keeps them to the files that turn their refusals into ours.
#![expect(
    clippy::disallowed_types,
    reason = "axum's extractor is read here, and its refusal made ours"
)]

use app::{Error, Subject};
use axum::extract::{FromRef, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use crate::pages::request::PageRequest;
use crate::problem::Failure;
use crate::router::Http;

/// The parameters in the path of an endpoint, or of what a page fetches: a picture, a file.
#[derive(Debug, Clone)]
pub struct ApiPath<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for ApiPath<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(read)) => Ok(Self(read)),
            Err(_) => Err(Error::NotFound(Subject::Endpoint).into()),
        }
    }
}

/// The parameters in the path of a page.
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
