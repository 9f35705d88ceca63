//! Receives bodies within a deadline, and drains unread ones.
//!
//! Every body has a deadline and must keep arriving. A body that only trickles in is cut off after some seconds, but
//! one at the pace of a slow line is not. Known senders get more time, because a phone in a lift can stall for a while.
//!
//! If a request is answered before its body has been read, for example because it was refused, we read and discard the
//! rest of the body, up to a limit. Otherwise a client that is still sending would not receive the response.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use app::Error;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::{Instant, Sleep, timeout};

const DEADLINE: Duration = Duration::from_mins(2);

/// The time that a body may stall, and the number of bytes that earn another second.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    patience: Duration,
    bytes: u64,
}

/// For bodies from strangers.
pub const STRANGERS: Pace = Pace {
    patience: Duration::from_secs(10),
    bytes: 64 * 1024,
};

/// For bodies from known senders.
pub const KNOWN: Pace = Pace {
    patience: Duration::from_secs(30),
    bytes: 32 * 1024,
};

/// Amount of an unread body that we discard, and the pause after which we stop. The amount exceeds the largest file
/// that anyone may send (`Settings::largest_sealed`, 94 MB unless the operator sets another limit), so that a sender
/// slightly above that limit also gets the response.
const DISCARDED: u64 = 128 * 1024 * 1024;

const LONGEST_GAP: Duration = Duration::from_secs(1);

/// A body that must arrive in time.
pub struct Timed {
    body: Body,
    began: Instant,
    received: u64,
    pace: Pace,
    end: Pin<Box<Sleep>>,
}

#[derive(Debug, thiserror::Error)]
#[error("the request body did not arrive in time")]
struct TooSlow;

impl Timed {
    /// Wraps a body that must arrive at this pace.
    pub fn new(body: Body, pace: Pace) -> Self {
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

/// A shared handle to a body, used to check how much is unread after the request has been answered.
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

/// Answers a request, then discards the rest of its body. Otherwise a client that is still sending would see a broken
/// connection instead of the response. A client that waits for our response before it sends (RFC 9110, 10.1.1) gets it
/// immediately.
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
    // A response with status 200 may also be a refusal (of a login).
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

/// Returns the error for a body that did not arrive completely.
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

/// Reads the whole body, at most `limit` bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of `frames` frames of `bytes` bytes, one after each `pause`.
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
            // Even a body that keeps arriving must end at some point.
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
