//! The caller of a request, as determined by the admission layers.

use app::{Actor, Error, MemberSession};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::problem::Failure;

/// The cookie of a signed-in member.
pub const SESSION_COOKIE: &str = "countersign_session";

/// The member who calls an `AccessToken` route.
#[derive(Debug, Clone)]
pub struct Authenticated(pub Actor);

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(Failure::App(Error::Unauthenticated))
    }
}

/// The signed-in member who calls a `Session` route. Set before the handler runs, so that their work counts for their
/// company.
#[derive(Debug, Clone)]
pub struct SignedIn(pub MemberSession);
