//! Who calls, once the frame has found out.

use app::{Caller, Error, MemberSession};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::problem::Failure;

/// The cookie of a signed-in member.
pub const SESSION_COOKIE: &str = "countersign_session";

/// The member who calls, of an `AccessToken` route.
#[derive(Debug, Clone)]
pub struct Authenticated(pub Caller);

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

/// A member who is signed in, of a `Session` route: found by the frame, so that what they do counts as their company's.
#[derive(Debug, Clone)]
pub struct SignedIn(pub MemberSession);
