//! Receives announcements of other processes over its own connection (LISTEN and NOTIFY).
//!
//! An announcement only says that new work may be waiting. If one is lost, with its connection or between two
//! connections, the check after the next connection makes up for it. Listeners also check on their own from time to
//! time.

use std::future::poll_fn;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Error, NoTls, Socket};

use super::faults::described;
use super::server::Server;
use crate::driver::sqlite::spawn;

/// The pause before reconnecting.
const PAUSE: Duration = Duration::from_secs(1);
pub(super) const ANNOUNCE: &str = "NOTIFY countersign_outbox";
const LISTEN: &str = "LISTEN countersign_outbox";

/// A thread that listens until this is dropped.
pub(super) struct Listener {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Calls `heard` at each announcement, and whenever one may have been missed.
    pub(super) fn start(server: Arc<Server>, heard: impl Fn() + Send + 'static) -> Result<Listener, crate::Error> {
        let (end, ended) = oneshot::channel();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| crate::Error::Open {
                name: "store-listener".to_owned(),
                detail: error.to_string(),
            })?;
        let thread = spawn("store-listener", move || {
            runtime.block_on(async {
                tokio::select! {
                    () = listen_on(&server, &heard) => {}
                    _ = ended => {}
                }
            });
        })?;
        Ok(Listener {
            end: Some(end),
            thread: Some(thread),
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.end.take());
        // `heard` may own the last handle of the store, which is then dropped on this thread.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

async fn listen_on(server: &Server, heard: &impl Fn()) {
    loop {
        let broken = match &server.tls {
            None => listen(server, NoTls, heard).await,
            Some(tls) => listen(server, tls.clone(), heard).await,
        };
        if let Err(error) = broken {
            tracing::debug!(
                error = described(&error),
                "notifications could not be received; we will try again"
            );
        }
        sleep(PAUSE).await;
    }
}

/// Listens until the connection breaks.
async fn listen<T>(server: &Server, tls: T, heard: &impl Fn()) -> Result<(), Error>
where
    T: MakeTlsConnect<Socket>,
{
    let (client, mut connection) = server.config.connect(tls).await?;
    let mut begun = std::pin::pin!(client.batch_execute(LISTEN));
    let mut is_listening = false;
    loop {
        tokio::select! {
            message = poll_fn(|context| connection.poll_message(context)) => match message {
                Some(Ok(AsyncMessage::Notification(_))) => heard(),
                Some(message) => drop(message?),
                None => return Ok(()),
            },
            answer = &mut begun, if !is_listening => {
                answer?;
                is_listening = true;
                heard();
            }
        }
    }
}
