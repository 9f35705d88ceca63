//! Parameters in the path of an address.
//!
//! A path names a thing. So a path that cannot be read (bad UTF-8, or no number where one is needed) is answered like
//! the name of a thing that does not exist: 404, as problem details for programs and as a page for people. axum's own
//! extractors would answer 400 in plain English; `clippy.toml` allows them only in the files that convert their
//! rejections.
#![expect(
    clippy::disallowed_types,
    reason = "axum's extractor is read here, and its refusal made ours"
)]

use app::{Error, Subject};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::Failure;

/// The path parameters of an endpoint, or of a file that a page loads.
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
