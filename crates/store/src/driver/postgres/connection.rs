//! One connection to the server, driven by the thread that uses it.
//!
//! The underlying driver is asynchronous: it sends a statement when its future is first polled, even if the previous
//! one has no answer yet. So statements that do not need each other's results go to the server together and cost one
//! round trip ([`Pipeline`]). Nothing runs between two uses: messages from the server are read at the next use.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Error, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

type Answer<'c> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'c>>;

pub(super) struct Connection {
    client: Client,
    runtime: Runtime,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// An error of the driver or the server.
    #[error(transparent)]
    Postgres(#[from] Error),
    /// An error of the operating system, such as no more threads or file descriptors.
    #[error("the system lacks resources for a connection: {0}")]
    Runtime(#[from] std::io::Error),
}

impl Connection {
    /// Connects and configures the session with `setting`.
    pub(super) fn open(
        config: &Config,
        tls: Option<&MakeRustlsConnect>,
        setting: &str,
    ) -> Result<Connection, ConnectError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = match tls {
            None => runtime.block_on(connected(config, NoTls)),
            Some(tls) => runtime.block_on(connected(config, tls.clone())),
        }?;
        runtime.block_on(client.batch_execute(setting))?;
        Ok(Connection { client, runtime })
    }

    /// True if the connection is known to be gone.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }
}

async fn connected<T>(config: &Config, tls: T) -> Result<Client, Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, mut connection) = config.connect(tls).await?;
    tokio::spawn(async move {
        // The caller that waits for an answer notices the end of the connection.
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notice(notice) = message {
                tracing::debug!(notice = notice.message(), "the database server sent a notice");
            }
        }
    });
    Ok(client)
}

/// Statements sent one after the other without waiting for answers.
#[derive(Default)]
pub(super) struct Pipeline<'c>(Vec<Answer<'c>>);

impl<'c> Pipeline<'c> {
    pub(super) fn add<T>(&mut self, answer: impl Future<Output = Result<T, Error>> + 'c) {
        self.0.push(Box::pin(async { answer.await.map(drop) }));
    }

    /// Sends everything and `last`, and waits for the answers. If some statements fail, the error names the position of
    /// the first.
    pub(super) async fn send<T>(
        mut self,
        last: impl Future<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, (usize, Error)> {
        let mut last = pin!(last);
        let mut outcomes: Vec<Option<Result<(), Error>>> = Vec::with_capacity(self.0.len());
        for answer in &mut self.0 {
            outcomes.push(begun(answer.as_mut()).await);
        }
        let begun_last = begun(last.as_mut()).await;
        for (place, (answer, outcome)) in self.0.into_iter().zip(outcomes).enumerate() {
            let outcome = match outcome {
                Some(outcome) => outcome,
                None => answer.await,
            };
            outcome.map_err(|error| (place, error))?;
        }
        match begun_last {
            Some(outcome) => Ok(outcome),
            None => Ok(last.await),
        }
    }
}

/// Polls once, which sends the statement. Returns the output if it is already available.
async fn begun<F: Future + ?Sized>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
