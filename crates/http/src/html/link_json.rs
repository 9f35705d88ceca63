//! JSON sent by our browser code from pages behind a link.

use app::{Error, LinkToken, Subject};
use axum::extract::{FromRef, FromRequest, Request};

use super::request::PageRequest;
use crate::body::json::JsonBody;
use crate::frame::problem::Failure;
use crate::frame::state::Http;

/// The JSON body, at most `LIMIT` bytes, of a request with a link's token. A forged token is refused before the body is
/// read.
#[derive(Debug, Clone)]
pub struct LinkJson<const LIMIT: u64>(pub JsonBody);

impl<S, const LIMIT: u64> FromRequest<S> for LinkJson<LIMIT>
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let http = Http::from_ref(state);
        let (mut parts, body) = request.into_parts();
        let page = PageRequest::of(&mut parts, &http).await;
        let token = page.link_token().or_else(|| page.get("token")).unwrap_or_default();
        if LinkToken::decode(token, &http.app().vault).is_none() {
            return Err(Error::NotFound(Subject::Link).into());
        }
        Ok(Self(JsonBody::receive(&parts, body, LIMIT).await?))
    }
}
