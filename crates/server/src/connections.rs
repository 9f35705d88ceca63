//! Connections: so many at a time, and none that holds its place without asking for anything.
//!
//! Whoever opens a connection and sends the head of a request byte by byte, or not at all, is cut
//! off after [`Limits::head`]; beyond [`Limits::most`] connections new ones wait in the system's
//! queue. At the end, requests under way are answered, and idle connections closed.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

/// What a connection may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many connections are open at the same time.
    pub most: usize,
    /// How long the head of a request may take to arrive, the first and each that follows.
    pub head: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most: 2_000,
            head: Duration::from_mins(1),
        }
    }
}

/// Serves until `stop`; then ends once the requests under way are answered.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(limits.most.max(1)));
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let mut stop = pin!(stop);
    loop {
        let (stream, address, place) = tokio::select! {
            () = &mut stop => break,
            Some(accepted) = accept(&listener, &places) => accepted,
            else => break,
        };
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(address));
            router.clone().oneshot(request)
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection without TCP_NODELAY");
                }
                return Some((stream, address, place));
            }
            // Broken off before it was accepted; or no file descriptors are free, which takes a moment to change.
            Err(error) => {
                tracing::debug!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::oneshot;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    async fn started(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new().route(
            "/",
            get(|ConnectInfo(address): ConnectInfo<SocketAddr>| async move { address.to_string() }),
        );
        let task = tokio::spawn(serve(listener, router, limits, async {
            let _ = stopped.await;
        }));
        (address, stop, task)
    }

    /// What comes until the other side closes.
    async fn rest(connection: &mut TcpStream) -> String {
        let mut text = Vec::new();
        let _ = connection.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_is_not_waited_for() {
        let limits = Limits {
            most: 1,
            head: Duration::from_millis(100),
        };
        let (address, stop, task) = started(limits).await;
        // Holds the only place, with half a head; the next one gets it when the time is over.
        let mut slow = TcpStream::connect(address).await.expect("a connection");
        slow.write_all(b"GET / HTTP/1.1\r\nhost: lo")
            .await
            .expect("half a head");
        let mut next = TcpStream::connect(address).await.expect("a connection");
        next.write_all(REQUEST).await.expect("a request");
        let answer = rest(&mut next).await;
        let own = next.local_addr().expect("an address").to_string();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&own), "{answer}");
        assert!(!rest(&mut slow).await.contains("200"));
        stop.send(()).expect("it runs");
        task.await.expect("an orderly end");
    }

    #[tokio::test]
    async fn the_end_closes_idle_connections_and_takes_no_new_ones() {
        let (address, stop, task) = started(Limits::default()).await;
        let mut connection = TcpStream::connect(address).await.expect("a connection");
        connection.write_all(REQUEST).await.expect("a request");
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200");
        stop.send(()).expect("it runs");
        task.await.expect("an orderly end");
        rest(&mut connection).await;
        assert!(TcpStream::connect(address).await.is_err());
    }
}
