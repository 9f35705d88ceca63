//! Bodies: few large ones at a time, each within a deadline, and none in the place of somebody better known.
//!
//! A body of up to a mebibyte is read as it comes, and of the holder of a link one with as much text as a draft may have.
//! One that is larger, that does not say how large it is, or that brings a file of somebody who is not a member, needs a place
//! while its request is answered: memory holds a bounded number of large bodies, and a small picture can cost much to read.
//! Programs, holders of links and strangers have places of their own, which each kind shares by the rule of
//! [`domain::turns`]; a route alone makes nobody known.
//!
//! Every body has a deadline, and must come on: one that drips is cut off after some seconds, one that
//! arrives at the pace of a slow line is not. Who is known has more patience shown to him: a phone in
//! a lift stands still for a while.
//!
//! Of a request that is answered before its body was read, as by whatever refuses it, the rest of the body is thrown away while
//! it keeps coming, up to a bound: who still sends reads his answer.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use app::{Error, LinkToken, Subject};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRef, FromRequest, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use domain::Requester;
use domain::turns::Bounds;
use tokio::time::{Instant, Sleep, timeout};

use crate::blocking::answering;
use crate::json_body::JsonBody;
use crate::pages::request::PageRequest;
use crate::problem::Failure;
use crate::requesters::requester_of;
use crate::router::{Authority, Http};
use crate::shares::{Shares, Turn};

/// A body up to here needs no place.
const SMALL: u64 = 1024 * 1024;
/// And of a link up to here: all texts of a draft, with a comment and what stands around them.
const SMALL_OF_LINK: u64 = app::LARGEST_DRAFT as u64 + 32 * 1024;
/// The places for large bodies of programs and members. They hold no body while they wait.
const OF_COMPANIES: Bounds = Bounds {
    places: 8,
    of_link: 1,
    waiting_of_one: 0,
    waiting_of_group: 32,
};
/// Those for bodies of holders of links, which are smaller. A page sends one file after the other, and may be open twice.
const OF_LINKS: Bounds = Bounds {
    places: 12,
    of_link: 2,
    waiting_of_one: 4,
    waiting_of_group: 32,
};
/// And those of strangers, of which half are used at most, and three by one network.
const OF_STRANGERS: Bounds = Bounds {
    places: 8,
    of_link: 1,
    waiting_of_one: 0,
    waiting_of_group: 16,
};
/// How long a body may take to arrive.
const DEADLINE: Duration = Duration::from_mins(2);
/// How long one may take that does not come on, and how many bytes earn it another second.
#[derive(Debug, Clone, Copy)]
struct Pace {
    patience: Duration,
    bytes: u64,
}
const STRANGERS: Pace = Pace {
    patience: Duration::from_secs(10),
    bytes: 64 * 1024,
};
const KNOWN: Pace = Pace {
    patience: Duration::from_secs(30),
    bytes: 32 * 1024,
};

/// Of a body that nobody reads so many bytes are thrown away, and no more after such a gap.
const DISCARDED: u64 = 64 * SMALL;
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// The header in which the browser code sends the link's token.
pub const LINK_TOKEN: &str = "link-token";

/// The places.
#[derive(Debug, Clone)]
pub struct Places {
    companies: Shares,
    links: Shares,
    strangers: Shares,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            companies: Shares::new(OF_COMPANIES),
            links: Shares::new(OF_LINKS),
            strangers: Shares::new(OF_STRANGERS),
        }
    }
}

impl Places {
    /// A place for a body of this requester.
    async fn wait(&self, requester: &Requester) -> Result<Turn, Error> {
        let places = match requester {
            Requester::Company(_) => &self.companies,
            Requester::Link { .. } => &self.links,
            Requester::Stranger(_) | Requester::SignIn { .. } => &self.strangers,
        };
        places.turn(requester).await
    }
}

/// The token that the browser code sends.
pub fn link_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(LINK_TOKEN)?.to_str().ok()
}

/// What [`in_turn`] needs to know of its route.
#[derive(Clone)]
pub struct Turns {
    /// The application, which knows links and sessions.
    pub http: Http,
    /// Who may call the route.
    pub authority: Authority,
    /// Whether people send files to it.
    pub takes_files: bool,
    /// The places, shared by all routes.
    pub places: Places,
}

/// Answers a request with a large body once there is a place for it, and gives every body its deadline.
pub async fn in_turn(State(turns): State<Turns>, request: Request, next: Next) -> Result<Response, Failure> {
    let (mut parts, body) = request.into_parts();
    let requester = match requester_of(&turns.http, turns.authority, &mut parts).await {
        Ok(requester) => requester,
        // Members read pages.
        Err(error) if turns.authority == Authority::Session => {
            let page = PageRequest::of(&mut parts, &turns.http).await;
            return Ok(page.fail(&error, page.language()));
        }
        Err(error) => return Err(error.into()),
    };
    let most = match requester {
        _ if turns.takes_files => 0,
        Requester::Link { .. } => SMALL_OF_LINK,
        Requester::Company(_) | Requester::Stranger(_) | Requester::SignIn { .. } => SMALL,
    };
    let pace = match requester {
        Requester::Stranger(_) | Requester::SignIn { .. } => STRANGERS,
        Requester::Company(_) | Requester::Link { .. } => KNOWN,
    };
    let _place = if body.size_hint().upper().is_some_and(|size| size <= most) {
        None
    } else {
        Some(turns.places.wait(&requester).await?)
    };
    let body = if body.is_end_stream() {
        body
    } else {
        Body::new(Timed::new(body, pace))
    };
    Ok(answering(requester, next.run(Request::from_parts(parts, body))).await)
}

/// A body that must come in time.
struct Timed {
    body: Body,
    began: Instant,
    received: u64,
    pace: Pace,
    end: Pin<Box<Sleep>>,
}

/// The body did not come in time.
#[derive(Debug, thiserror::Error)]
#[error("the body did not come in time")]
struct TooSlow;

impl Timed {
    fn new(body: Body, pace: Pace) -> Self {
        let began = Instant::now();
        Self {
            body,
            began,
            received: 0,
            pace,
            end: Box::pin(tokio::time::sleep_until(began + pace.patience)),
        }
    }

    fn came(&mut self, bytes: usize) {
        self.received = self.received.saturating_add(bytes as u64);
        let earned = Duration::from_secs(self.received / self.pace.bytes);
        let within = self.pace.patience.saturating_add(earned).min(DEADLINE);
        self.end.as_mut().reset(self.began + within);
    }
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Ready(frame) => {
                if let Some(Ok(frame)) = &frame
                    && let Some(data) = frame.data_ref()
                {
                    this.came(data.len());
                }
                Poll::Ready(frame)
            }
            Poll::Pending => this
                .end
                .as_mut()
                .poll(context)
                .map(|()| Some(Err(axum::Error::new(TooSlow)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// A body of which is known, when its request was answered, what nobody has read.
#[derive(Clone)]
struct Watched(Arc<Mutex<Unread>>);

struct Unread {
    body: Body,
    is_begun: bool,
}

impl Watched {
    fn unread(&self) -> MutexGuard<'_, Unread> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        let mut unread = self.unread();
        unread.is_begun = true;
        Pin::new(&mut unread.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.unread().body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.unread().body.size_hint()
    }
}

/// Answers a request. What still comes of its body, where nobody has read it to its end, is thrown away first: who is sending it
/// would find the connection broken in place of his answer. One who waits for his answer before he sends (RFC 9110 10.1.1) has it at
/// once.
pub async fn discarding(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let expected = request.headers().get(header::EXPECT);
    let waits = expected.is_some_and(|expected| expected.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    let (head, body) = request.into_parts();
    let is_begun = false;
    let watched = Watched(Arc::new(Mutex::new(Unread { body, is_begun })));
    let answer = next.run(Request::from_parts(head, Body::new(watched.clone()))).await;
    // Also what is answered with 200 may be a refusal (a login).
    let waits = waits && !watched.unread().is_begun;
    if !waits {
        discard(Body::new(Timed::new(Body::new(watched), STRANGERS))).await;
    }
    answer
}

async fn discard(mut body: Body) {
    let mut left = DISCARDED;
    while !body.is_end_stream() {
        let Ok(Some(Ok(frame))) = timeout(LONGEST_GAP, next_frame(&mut body)).await else {
            return;
        };
        let length = frame.data_ref().map_or(0, |data| data.len() as u64);
        if length > left {
            return;
        }
        left -= length;
    }
}

/// What a body that did not arrive as a whole is answered with.
pub fn not_arrived(error: &(dyn std::error::Error + 'static)) -> Error {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<TooSlow>() {
            return Error::busy(1);
        }
        cause = error.source();
    }
    Error::BrokenBody
}

async fn next_frame(body: &mut Body) -> Option<Result<http_body::Frame<Bytes>, axum::Error>> {
    std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await
}

/// All of a body, of at most `limit` bytes.
pub async fn collect(mut body: Body, limit: u64) -> Result<Bytes, Error> {
    let mut collected = Vec::new();
    while let Some(frame) = next_frame(&mut body).await {
        let frame = frame.map_err(|error| not_arrived(&error))?;
        let Ok(data) = frame.into_data() else { continue };
        if (collected.len() as u64).saturating_add(data.len() as u64) > limit {
            return Err(Error::TooLarge { limit });
        }
        collected.extend_from_slice(&data);
    }
    Ok(collected.into())
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
        let page = PageRequest::of(&mut parts, &http).await;
        let token = page.link_token().or_else(|| page.get("token")).unwrap_or_default();
        if LinkToken::decode(token, &http.app().vault).is_none() {
            return Err(Error::NotFound(Subject::Link).into());
        }
        Ok(Self(JsonBody::receive(&parts, body, LIMIT).await?))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use domain::{ClientNetwork, CompanyId, LinkHolder, RecipientId};

    use super::*;

    /// A body that gives `frames` frames of `bytes` bytes, one after each `pause`, and then nothing more.
    fn dripping(frames: u32, bytes: usize, pause: Duration) -> Body {
        struct Drip(u32, usize, Duration, Pin<Box<Sleep>>);
        impl HttpBody for Drip {
            type Data = Bytes;
            type Error = axum::Error;
            fn poll_frame(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
                if self.0 == 0 {
                    return Poll::Ready(None);
                }
                if self.3.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                self.0 -= 1;
                self.3 = Box::pin(tokio::time::sleep(self.2));
                Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from(vec![0; self.1])))))
            }
        }
        Body::new(Drip(frames, bytes, pause, Box::pin(tokio::time::sleep(pause))))
    }

    async fn arrived(body: Body, pace: Pace) -> Option<u64> {
        let began = Instant::now();
        match collect(Body::new(Timed::new(body, pace)), u64::MAX).await {
            Ok(_) => None,
            Err(Error::Unavailable { .. }) => Some(began.elapsed().as_secs()),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_is_cut_off_and_one_on_a_slow_line_is_not() {
        for pace in [STRANGERS, KNOWN] {
            let drips = dripping(600, 1, Duration::from_secs(1));
            assert_eq!(arrived(drips, pace).await, Some(pace.patience.as_secs()));
            let slow = dripping(60, 128 * 1024, Duration::from_secs(1));
            assert_eq!(arrived(slow, pace).await, None);
            // However much has come, it is over some day.
            let endless = dripping(600, 1024 * 1024, Duration::from_secs(1));
            assert_eq!(arrived(endless, pace).await, Some(DEADLINE.as_secs()));
        }
        let still = || dripping(4, 1024 * 1024, Duration::from_secs(25));
        assert_eq!(
            arrived(still(), KNOWN).await,
            None,
            "a phone that stands still for a while"
        );
    }

    fn company(id: &str) -> CompanyId {
        CompanyId::parse(id).expect("a company's id")
    }

    fn program(of: &str) -> Requester {
        Requester::Company(company(of))
    }

    /// A link of a company: those of acme lead to signers below a hundred.
    fn link(signer: i64) -> Requester {
        Requester::Link {
            company: company(if signer < 100 { "acme" } else { "other" }),
            holder: LinkHolder::Signer(RecipientId(signer)),
        }
    }

    fn stranger(number: u8) -> Requester {
        Requester::Stranger(ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number))))
    }

    /// Takes every place that these may have. How many they were.
    async fn fill(places: &Places, requesters: &[Requester], held: &mut Vec<Turn>) -> usize {
        let before = held.len();
        for requester in requesters {
            while let Ok(place) = places.wait(requester).await {
                held.push(place);
            }
        }
        held.len() - before
    }

    async fn has_room_at_once(places: &Places, requester: &Requester) -> bool {
        let began = Instant::now();
        places.wait(requester).await.is_ok() && began.elapsed() == Duration::ZERO
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_wait_for_strangers_alone_and_one_network_for_itself() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[stranger(1)], &mut held).await, 3);
        assert!(has_room_at_once(&places, &stranger(2)).await, "another network");
        fill(&places, &[stranger(2), stranger(3)], &mut held).await;
        assert_eq!(held.len(), 4, "half of their places, so that memory is bounded");
        assert!(has_room_at_once(&places, &program("acme")).await);
        assert!(has_room_at_once(&places, &link(1)).await);
        drop(held);
        assert!(has_room_at_once(&places, &stranger(1)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn one_companys_programs_keep_neither_others_nor_its_own_signers_out() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[program("acme")], &mut held).await, 4);
        assert!(has_room_at_once(&places, &program("other")).await);
        assert!(
            has_room_at_once(&places, &link(1)).await,
            "a signer of the same company"
        );
        fill(&places, &[program("other"), program("third")], &mut held).await;
        assert!(has_room_at_once(&places, &link(1)).await, "when all programs wait");
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_takes_its_own_share_and_all_links_of_a_company_theirs() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[link(1)], &mut held).await, OF_LINKS.of_link);
        assert!(has_room_at_once(&places, &link(2)).await, "another signer");
        let many: Vec<Requester> = (1..20).map(link).collect();
        fill(&places, &many, &mut held).await;
        assert_eq!(held.len(), OF_LINKS.places / 2, "however many links there are");
        assert!(has_room_at_once(&places, &program("acme")).await, "its programs");
        assert!(has_room_at_once(&places, &link(100)).await, "another company's signer");
        drop(held);
        assert!(has_room_at_once(&places, &link(1)).await);
    }

    /// A text in any script takes up to four bytes a character, and a line break two.
    #[test]
    fn as_much_text_as_a_draft_may_have_needs_no_place() {
        let longest = "\u{1F58B}".repeat(domain::Field::TEXT_LIMIT as usize);
        let most = app::LARGEST_DRAFT / longest.len();
        let values: Vec<_> = (0..most)
            .map(|number| serde_json::json!({"name": format!("field {number}"), "value": longest}))
            .collect();
        let body = serde_json::json!({"values": values, "revision": u64::MAX, "page": "x".repeat(32)});
        assert!(most > 10 && body.to_string().len() as u64 <= SMALL_OF_LINK);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_not_too_large() {
        struct Broken;
        impl HttpBody for Broken {
            type Data = Bytes;
            type Error = axum::Error;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
                Poll::Ready(Some(Err(axum::Error::new(std::io::Error::other("no chunk")))))
            }
        }
        let broken = Body::new(Timed::new(Body::new(Broken), KNOWN));
        assert!(matches!(collect(broken, 1024).await, Err(Error::BrokenBody)));
        let long = Body::from(vec![0; 1025]);
        assert!(matches!(
            collect(long, 1024).await,
            Err(Error::TooLarge { limit: 1024 })
        ));
    }
}
