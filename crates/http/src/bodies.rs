//! Bodies: few large ones at a time, each within a deadline, and none in the place of somebody better known.
//!
//! A body of up to a mebibyte is read as it comes, and of the holder of a link one of up to a few
//! kibibytes: a small picture can cost much to read. One that is larger, or does not say how large it
//! is, needs a place while its request is answered, so that memory holds a bounded number of them.
//! Strangers, programs and holders of links have places of their own: a flood of one kind leaves the
//! others theirs. A program has shown an access token (the frame judges it first), the holder of a
//! link a token that we made; a route alone makes nobody known. Of the programs' places each company
//! has its share, of the links' each company's links together have one, and in it each link a small
//! one: whoever has got hold of a link, or of many of one company, takes neither the places of the
//! company's programs nor those of other companies' signers.
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
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use domain::CompanyId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, timeout};

use crate::blocking::{Party, Queue, Share, SharedQueue, SharedTurn};
use crate::json_body::JsonBody;
use crate::pages::request::PageRequest;
use crate::problem::Failure;
use crate::query::Query;
use crate::router::{Authenticated, Authority, Http};

/// A body up to here needs no place.
const SMALL: u64 = 1024 * 1024;
/// And of a link up to here: texts, but no pictures.
const SMALL_OF_LINK: u64 = 16 * 1024;
/// Large bodies of strangers at the same time.
const PLACES_OF_STRANGERS: usize = 4;
/// Large bodies of programs, of one company's among them, and how many of its wait.
const PLACES_OF_PROGRAMS: usize = 8;
const SHARE_OF_COMPANY: Share = Share { inside: 4, waiting: 32 };
/// Large bodies of holders of links, and the share of all links of one company. They are smaller than those of programs.
const PLACES_OF_LINKS: usize = 12;
const SHARE_OF_LINKS: Share = Share { inside: 4, waiting: 32 };
/// One link's share of its company's: a page sends one file after the other, and may be open twice.
const SHARE_OF_LINK: Share = Share { inside: 2, waiting: 4 };
/// Of programs and of holders of links so many wait for a place. They hold no body.
const WAITING: usize = 1_000;
/// How long a request waits for a place before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(10);
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
    strangers: Arc<Semaphore>,
    programs: SharedQueue,
    links: SharedQueue,
    each_link: SharedQueue,
}

/// Who calls, before anything is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sender {
    /// Anybody.
    Stranger,
    /// A program or member of a company, with an access token that is good.
    Program(CompanyId),
    /// The holder of a link that we made.
    Link(LinkToken),
}

/// A place, until it is dropped.
enum Place {
    Stranger(#[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit),
    Program(#[expect(dead_code, reason = "held until it is dropped")] SharedTurn),
    Link(#[expect(dead_code, reason = "held until it is dropped")] [SharedTurn; 2]),
}

impl Default for Places {
    fn default() -> Self {
        Self {
            strangers: Arc::new(Semaphore::new(PLACES_OF_STRANGERS)),
            programs: SharedQueue::new(Queue::new(PLACES_OF_PROGRAMS, WAITING), SHARE_OF_COMPANY),
            links: SharedQueue::new(Queue::new(PLACES_OF_LINKS, WAITING), SHARE_OF_LINKS),
            each_link: SharedQueue::new(Queue::new(WAITING, 0), SHARE_OF_LINK),
        }
    }
}

impl Places {
    /// A place for a body of this party.
    async fn wait(&self, party: &Party) -> Result<Place, Error> {
        match party {
            Party::Stranger => self.for_stranger().await,
            Party::Company(company) => self.programs.turn(company.as_str()).await.map(Place::Program),
            Party::Link { own, company } => {
                let own = self.each_link.turn(own).await?;
                Ok(Place::Link([self.links.turn(company.as_str()).await?, own]))
            }
        }
    }

    async fn for_stranger(&self) -> Result<Place, Error> {
        match tokio::time::timeout(PATIENCE, Arc::clone(&self.strangers).acquire_owned()).await {
            Ok(Ok(place)) => Ok(Place::Stranger(place)),
            _ => Err(Error::busy(5)),
        }
    }
}

/// Who calls, as far as the head of his request tells.
fn sender_of(http: &Http, authority: Authority, request: &Request) -> Sender {
    let known = match authority {
        // The frame has judged the token before.
        Authority::AccessToken(_) => {
            let caller = request.extensions().get::<Authenticated>();
            caller.map(|Authenticated(caller)| Sender::Program(caller.company.clone()))
        }
        // What a form says is not known before it is read, and what a session is worth, the database knows.
        Authority::Public | Authority::Session => None,
        Authority::LinkToken => link_token(request.headers())
            .map(str::to_owned)
            .or_else(|| Query::of(request.uri()).owned("token"))
            .and_then(|token| LinkToken::decode(&token, &http.app().vault))
            .map(Sender::Link),
    };
    known.unwrap_or(Sender::Stranger)
}

/// The token that the browser code sends.
pub fn link_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(LINK_TOKEN)?.to_str().ok()
}

/// What [`in_turn`] needs to know of its route.
#[derive(Clone)]
pub struct Turns {
    /// The application, whose vault knows its links.
    pub http: Http,
    /// Who may call the route.
    pub authority: Authority,
    /// The places, shared by all routes.
    pub places: Places,
}

/// Answers a request with a large body once there is a place for it, and gives every body its deadline.
pub async fn in_turn(State(turns): State<Turns>, request: Request, next: Next) -> Result<Response, Failure> {
    let sender = sender_of(&turns.http, turns.authority, &request);
    let most = match sender {
        Sender::Link(_) => SMALL_OF_LINK,
        Sender::Stranger | Sender::Program(_) => SMALL,
    };
    let small = request.body().size_hint().upper().is_some_and(|size| size <= most);
    let party = turns.http.party(&sender).await?;
    if small && request.body().is_end_stream() {
        return Ok(party.answering(next.run(request)).await);
    }
    let pace = match sender {
        Sender::Stranger => STRANGERS,
        Sender::Program(_) | Sender::Link(_) => KNOWN,
    };
    let timed = |request: Request| request.map(|body| Body::new(Timed::new(body, pace)));
    if small {
        return Ok(party.answering(next.run(timed(request))).await);
    }
    let _place = turns.places.wait(&party).await?;
    Ok(party.answering(next.run(timed(request))).await)
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

    fn program(of: &str) -> Party {
        Party::Company(company(of))
    }

    /// A link of a company: those of acme lead to recipients below a hundred.
    fn link(recipient: i64) -> Party {
        Party::Link {
            own: recipient.to_string(),
            company: company(if recipient < 100 { "acme" } else { "other" }),
        }
    }

    /// Takes every place that these may have. How many they were.
    async fn fill(places: &Places, parties: &[Party], held: &mut Vec<Place>) -> usize {
        let before = held.len();
        for party in parties {
            while let Ok(place) = places.wait(party).await {
                held.push(place);
            }
        }
        held.len() - before
    }

    async fn has_room_at_once(places: &Places, party: &Party) -> bool {
        let began = Instant::now();
        places.wait(party).await.is_ok() && began.elapsed() == Duration::ZERO
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_wait_for_strangers_alone() {
        let (places, mut held) = (Places::default(), Vec::new());
        let taken = fill(&places, &[Party::Stranger], &mut held).await;
        assert_eq!(taken, PLACES_OF_STRANGERS);
        assert!(has_room_at_once(&places, &program("acme")).await);
        assert!(has_room_at_once(&places, &link(1)).await);
        drop(held);
        assert!(has_room_at_once(&places, &Party::Stranger).await);
    }

    #[tokio::test(start_paused = true)]
    async fn one_companys_programs_keep_neither_others_nor_its_own_signers_out() {
        let (places, mut held) = (Places::default(), Vec::new());
        let taken = fill(&places, &[program("acme")], &mut held).await;
        assert_eq!(taken, SHARE_OF_COMPANY.inside);
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
        assert_eq!(fill(&places, &[link(1)], &mut held).await, SHARE_OF_LINK.inside);
        assert!(has_room_at_once(&places, &link(2)).await, "another signer");
        let many: Vec<Party> = (1..20).map(link).collect();
        fill(&places, &many, &mut held).await;
        assert_eq!(held.len(), SHARE_OF_LINKS.inside, "however many links there are");
        assert!(has_room_at_once(&places, &program("acme")).await, "its programs");
        assert!(has_room_at_once(&places, &link(100)).await, "another company's signer");
        drop(held);
        assert!(has_room_at_once(&places, &link(1)).await);
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
