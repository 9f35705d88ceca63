//! Large bodies: few at a time, each within a deadline, and none before it is known who sends it.
//!
//! A body of up to a mebibyte is read as it comes. One that is larger, or does not say how large it
//! is, needs a place while its request is answered, so that memory holds a bounded number of them.
//! Strangers and those who hold a token or a link have places of their own: a flood of the former
//! leaves the latter theirs. A token is judged before the place is asked for (the frame does that),
//! a link before the body is read ([`LinkJson`]).

use std::sync::Arc;
use std::time::Duration;

use app::{Error, LinkToken, Subject};
use axum::body::HttpBody as _;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::Semaphore;

use crate::json_body::JsonBody;
use crate::pages::request::PageRequest;
use crate::problem::Failure;
use crate::router::{Authority, Http};

/// A body up to here needs no place.
const SMALL: u64 = 1024 * 1024;
/// Large bodies of strangers at the same time.
const PLACES_OF_STRANGERS: usize = 4;
/// Large bodies of those who hold a token or a link.
const PLACES: usize = 12;
/// How long a request waits for a place before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a body may take to arrive.
pub const DEADLINE: Duration = Duration::from_mins(2);

/// The places.
#[derive(Debug, Clone)]
pub struct Places {
    strangers: Arc<Semaphore>,
    known: Arc<Semaphore>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            strangers: Arc::new(Semaphore::new(PLACES_OF_STRANGERS)),
            known: Arc::new(Semaphore::new(PLACES)),
        }
    }
}

impl Places {
    /// Those for callers of a route.
    pub fn of(&self, authority: Authority) -> Arc<Semaphore> {
        Arc::clone(match authority {
            Authority::Public => &self.strangers,
            Authority::AccessToken(_) | Authority::LinkToken | Authority::Session => &self.known,
        })
    }
}

/// Answers a request with a large body once there is a place for it.
pub async fn in_turn(State(places): State<Arc<Semaphore>>, request: Request, next: Next) -> Result<Response, Failure> {
    let small = request.body().size_hint().upper().is_some_and(|most| most <= SMALL);
    if small {
        return Ok(next.run(request).await);
    }
    let place = tokio::time::timeout(PATIENCE, places.acquire_owned()).await;
    let Ok(Ok(_place)) = place else {
        return Err(Error::busy(5).into());
    };
    Ok(next.run(request).await)
}

/// The JSON body, of at most `LIMIT` bytes, of a request that carries a link's token; a forged token
/// is refused before anything of the body is read.
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
        let page = match PageRequest::from_request_parts(&mut parts, state).await {
            Ok(page) => page,
            Err(never) => match never {},
        };
        let token = page.link_token().or_else(|| page.get("token")).unwrap_or_default();
        if LinkToken::decode(token, &http.app().vault).is_none() {
            return Err(Error::NotFound(Subject::Link).into());
        }
        Ok(Self(JsonBody::read(&parts.headers, body, LIMIT).await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use tower::ServiceExt as _;

    #[tokio::test(start_paused = true)]
    async fn a_large_body_waits_for_its_place_and_a_small_one_does_not() {
        let places = Arc::new(Semaphore::new(1));
        let router = Router::new()
            .route("/", post(|| async { "read" }))
            .layer(from_fn_with_state(Arc::clone(&places), in_turn));
        let ask = async |length: usize| {
            let request = Request::post("/").body(Body::from(vec![0; length])).expect("a request");
            router.clone().oneshot(request).await.expect("an answer").status()
        };
        let held = Arc::clone(&places).acquire_owned().await.expect("the only place");
        assert_eq!(ask(1024 * 1024).await, 200);
        assert_eq!(ask(1024 * 1024 + 1).await, 503);
        drop(held);
        assert_eq!(ask(1024 * 1024 + 1).await, 200);
        // The place is free again.
        assert_eq!(places.available_permits(), 1);
    }
}
