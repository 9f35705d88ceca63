//! A connection's bytes on their way to and from hyper. Incoming bytes pass the [`Gate`], and the client must read
//! outgoing ones.
//!
//! A client that stops reading leaves a response unsent. hyper would wait forever, so the time is limited here: while
//! something waits to be sent, the client must read some of it in every [`Pace::within`].

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::head::Gate;
use super::shares::Unsent;

/// How many bytes are read at a time while they must be checked.
const READ: usize = 16 * 1024;

/// The minimum speed at which a client must read its response.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The length of a period.
    pub within: Duration,
    /// The minimum number of bytes read in each period, if any are waiting.
    pub least: usize,
}

/// A connection that only passes well-formed requests and requires its client to read.
pub(super) struct Guarded<S> {
    stream: S,
    gate: Gate,
    /// Bytes that have arrived but not passed.
    raw: Vec<u8>,
    /// The number of these bytes that may pass.
    passable: usize,
    has_ended: bool,
    pace: Pace,
    taken: usize,
    unsent: Unsent,
    /// The time limit, set while something waits to be sent.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    pub(super) fn new(stream: S, pace: Pace, unsent: Unsent) -> Guarded<S> {
        Guarded {
            stream,
            gate: Gate::new(),
            raw: Vec::new(),
            passable: 0,
            has_ended: false,
            pace,
            taken: 0,
            unsent,
            until: None,
        }
    }

    /// Passes on what may pass. Returns false if there is nothing.
    fn pass(&mut self, to: &mut ReadBuf<'_>) -> bool {
        if self.passable == 0 {
            self.passable = self.gate.allow(&mut self.raw);
        }
        let bytes = self.passable.min(to.remaining());
        if bytes == 0 {
            return false;
        }
        to.put_slice(self.raw.get(..bytes).unwrap_or_default());
        self.raw.drain(..bytes);
        self.passable -= bytes;
        true
    }

    /// Enforces the time limit of a write.
    fn in_time(&mut self, context: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(outcome) = wrote {
            self.taken = self.taken.saturating_add(*outcome.as_ref().unwrap_or(&0));
            if self.taken >= self.pace.least {
                self.rest();
            }
            return Poll::Ready(outcome);
        }
        let within = self.pace.within;
        let until = self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep(within)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read the response",
        )))
    }

    fn rest(&mut self) {
        self.taken = 0;
        self.until = None;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if to.remaining() == 0 || this.pass(to) || this.gate.has_broken_off() {
                return Poll::Ready(Ok(()));
            }
            if this.gate.has_refused() {
                // No more bytes come. hyper closes the connection once it has answered.
                return Poll::Pending;
            }
            if this.has_ended {
                // hyper answers a request that breaks off.
                this.passable = this.raw.len();
                if this.passable == 0 {
                    return Poll::Ready(Ok(()));
                }
                continue;
            }
            let room = u64::try_from(to.remaining()).unwrap_or(u64::MAX);
            if this.raw.is_empty() && this.gate.unseen() >= room {
                let before = to.filled().len();
                ready!(Pin::new(&mut this.stream).poll_read(context, to))?;
                let came = to.filled().len().saturating_sub(before);
                this.gate.passed(u64::try_from(came).unwrap_or(u64::MAX));
                return Poll::Ready(Ok(()));
            }
            let mut piece = [0; READ];
            let mut came = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.stream).poll_read(context, &mut came))?;
            this.has_ended = came.filled().is_empty();
            this.raw.extend_from_slice(came.filled());
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.in_time(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes once it has written everything, so nothing is left to send.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.rest();
        self.unsent.is_sent();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::{Instant, sleep};

    const PACE: Pace = Pace {
        within: Duration::from_mins(1),
        least: 100,
    };

    /// The clock is paused, and jumps to the next deadline when nothing else can happen.
    #[tokio::test(start_paused = true)]
    async fn a_reader_that_never_reads_is_cut_off() {
        let (server, _client) = duplex(64);
        let began = Instant::now();
        let fault = Guarded::new(server, PACE, Unsent::default())
            .write_all(&[0; 1000])
            .await
            .expect_err("nobody reads");
        assert_eq!(fault.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_reads_a_byte_now_and_then_is_cut_off_and_one_that_reads_slowly_is_not() {
        for (bytes, is_cut_off) in [(1, true), (50, true), (120, false)] {
            let (server, mut client) = duplex(200);
            let reading = tokio::spawn(async move {
                let mut read = 0;
                let mut piece = vec![0; bytes];
                loop {
                    sleep(Duration::from_secs(50)).await;
                    match client.read(&mut piece).await {
                        Ok(0) | Err(_) => return read,
                        Ok(came) => read += came,
                    }
                }
            });
            let mut guarded = Guarded::new(server, PACE, Unsent::default());
            let wrote = guarded.write_all(&[0; 2000]).await;
            assert_eq!(wrote.is_err(), is_cut_off, "{bytes} bytes a time: {wrote:?}");
            drop(guarded);
            assert_eq!(reading.await.expect("it reads") == 2000, !is_cut_off);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn between_answers_no_time_runs() {
        let (server, mut client) = duplex(64);
        let mut guarded = Guarded::new(server, PACE, Unsent::default());
        for _ in 0..3 {
            guarded.write_all(&[0; 10]).await.expect("there is room");
            guarded.flush().await.expect("all is written");
            sleep(Duration::from_hours(1)).await;
            client.read_exact(&mut [0; 10]).await.expect("it came");
        }
    }
}
