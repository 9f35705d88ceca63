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
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::Failure;

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
