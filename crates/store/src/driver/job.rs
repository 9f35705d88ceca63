//! Carries a closure to a thread of the store, and returns its result.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};

use crate::{Error, Transaction};

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A request whose types only its caller knows.
pub(crate) trait Job: Send {
    /// Runs the closure, and returns whether to keep its changes. May be called again.
    fn run(&mut self, transaction: &mut dyn Transaction) -> bool;
    /// Replaces the closure's result with an error.
    fn fail(&mut self, error: Error);
    /// Sends the result of the last run to the caller.
    fn answer(&mut self);
}

struct Request<T, E, F> {
    work: F,
    result: Option<Result<T, E>>,
    panicked: bool,
    reply: SyncSender<Result<T, E>>,
    /// The span for log lines that the closure writes, perhaps on another thread.
    span: tracing::Span,
}

impl<T, E, F> Job for Request<T, E, F>
where
    F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, transaction: &mut dyn Transaction) -> bool {
        if self.panicked {
            return false;
        }
        INSIDE.set(true);
        // After a panic the closure does not run again and the transaction is rolled back, so nobody sees half a
        // change.
        let (work, span) = (&mut self.work, &self.span);
        let outcome = catch_unwind(AssertUnwindSafe(|| span.in_scope(|| work(transaction))));
        INSIDE.set(false);
        let result = outcome.unwrap_or_else(|panic| {
            self.panicked = true;
            let message = message(panic.as_ref());
            tracing::error!(message, "a use-case panicked inside a transaction");
            Err(E::from(Error::Panicked { message }))
        });
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn fail(&mut self, error: Error) {
        self.result = Some(Err(E::from(error)));
    }

    fn answer(&mut self) {
        let result = self.result.take().unwrap_or_else(|| Err(E::from(Error::Closed)));
        // A caller that has gone away no longer needs the result.
        let _ = self.reply.send(result);
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// Passes a closure to a driver and waits for its result. A closed driver drops the job and with it the reply channel.
pub(crate) fn submit<T, E, F>(hand_over: impl FnOnce(Box<dyn Job>), work: F) -> Result<T, E>
where
    F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    with_request(work, |request| hand_over(Box::new(request)))
}

/// Runs a closure on the caller's own thread, which saves two thread switches.
pub(crate) fn run_here<T, E, F>(work: F, run: impl FnOnce(&mut dyn Job)) -> Result<T, E>
where
    F: FnMut(&mut dyn Transaction) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    with_request(work, |mut request| {
        run(&mut request);
        request.answer();
    })
}

fn with_request<T, E, F>(work: F, hand_over: impl FnOnce(Request<T, E, F>)) -> Result<T, E>
where
    E: From<Error>,
{
    if INSIDE.get() {
        return Err(E::from(Error::Nested));
    }
    let (reply, answer) = sync_channel(1);
    hand_over(Request {
        work,
        result: None,
        panicked: false,
        reply,
        span: tracing::Span::current(),
    });
    answer.recv().unwrap_or_else(|_| Err(E::from(Error::Closed)))
}
