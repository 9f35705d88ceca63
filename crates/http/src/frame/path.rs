//! Parameters in the path of a URL.
//!
//! A path names a resource. So an unreadable path (bad UTF-8, or no number where one is required) is treated like a
//! resource that does not exist: 404, as problem details for programs and as a page for people. Axum's own extractors
//! would return 400 in plain English. `clippy.toml` allows them only in the files that convert their rejections.
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
