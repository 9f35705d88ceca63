//! Limits connections: their number, a share of them for each IP address, and the time for which one may stay open
//! without sending a request or reading its response.
//!
//! - A client that sends the head of a request too slowly, or not at all, is cut off after [`Limits::head`]. Bodies
//!   have their own deadlines (`crates/http/src/body/arrival.rs`).
//! - A client that does not read its response is cut off by [`Limits::write`].
//! - Beyond [`Limits::most`] connections, new ones wait in the system's queue until a place is free.
//! - One IP address has at most [`Limits::share`] of these places. A further connection from it gets a 503 and is
//!   closed. A trusted proxy has no share, but each of its clients has one, for its running requests.
//! - Bytes that a proxy could read differently from hyper never reach hyper ([`head`]).
//!
//! On shutdown, running requests are answered and idle connections closed.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use countersign_http::every_answer;
use countersign_http::{ClientAddress, Network, RequestId};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use self::shares::{Held, HeldBody, Shares, Unsent};
use self::stream::Guarded;
pub use self::stream::Pace;

mod head;
mod shares;
mod stream;

const MALFORMED: &str = "This is not a valid HTTP/1.1 request, or its head is too long.\n";
const TOO_MANY: &str = "Too many requests from this address are in progress. Try again in a few seconds.\n";

#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum number of open connections.
    pub most: usize,
    /// The maximum number of connections from one IP address. Behind a proxy, the maximum number of running requests of
    /// one address.
    pub share: usize,
    /// The time within which the head of a request must arrive, for the first request and each following one.
    pub head: Duration,
    /// The minimum speed at which a response must be read.
    pub write: Pace,
    /// Proxies whose `X-Forwarded-For` we trust.
    pub proxies: Vec<Network>,
    /// Whether browsers should only use https.
    pub is_public_https: bool,
}

impl Limits {
    /// One IP address gets a quarter of the places. This is enough for an office behind one address, and four addresses
    /// are needed to occupy all places.
    pub fn new(most: usize, proxies: Vec<Network>) -> Self {
        Self {
            most: most.max(1),
            share: most.div_ceil(4),
            head: Duration::from_mins(1),
            write: Pace {
                within: Duration::from_mins(1),
                least: 4 * 1024,
            },
            proxies,
            is_public_https: false,
        }
    }
}

/// Serves until `stop`, then returns once the running requests are answered.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(limits.most));
    let (of_peers, of_clients) = (Shares::new(limits.share), Shares::new(limits.share));
    let proxies: Arc<[Network]> = limits.proxies.into();
    let is_public_https = limits.is_public_https;
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(head::LONGEST_HEAD);
    let mut stop = pin!(stop);
    loop {
        let (stream, address, place) = tokio::select! {
            () = &mut stop => break,
            Some(accepted) = accept(&listener, &places) => accepted,
            else => break,
        };
        let of_proxy = proxies.iter().any(|proxy| proxy.contains(address.ip().to_canonical()));
        let held = if of_proxy {
            None
        } else {
            of_peers.one_more(address.ip())
        };
        if held.is_none() && !of_proxy {
            tracing::debug!(%address, "an address reached its limit of connections");
            turn_away(&stream, &refusal(is_public_https));
            continue;
        }
        let (router, of_clients, proxies) = (router.clone(), of_clients.clone(), Arc::clone(&proxies));
        let unsent = Unsent::default();
        let stream = Guarded::new(stream, limits.write, unsent.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let malformed = head::refused(request.method());
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(address));
            let client = ClientAddress::of(address.ip(), request.headers(), &proxies).address;
            // Without a client's address, all requests of a proxy count as requests of one client, the proxy itself.
            let is_known = of_proxy && !proxies.iter().any(|proxy| proxy.contains(client));
            let held = if is_known {
                of_clients.one_more(client).map(Some)
            } else {
                Some(None)
            };
            let (router, unsent) = (router.clone(), unsent.clone());
            async move {
                match (malformed, held) {
                    (Some(status), _) => Ok(plain(status, MALFORMED, is_public_https).map(Body::from)),
                    (None, None) => Ok(refusal(is_public_https).map(Body::from)),
                    (None, Some(held)) => answered(router, request, held, unsent).await,
                }
            }
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            let _held = (place, held);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection was closed with an error");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
}

/// Returns a response that occupies its client's place until it is sent.
async fn answered(
    router: Router,
    request: Request,
    held: Option<Held>,
    unsent: Unsent,
) -> Result<Response, Infallible> {
    let answer = router.oneshot(request).await?;
    Ok(match held {
        Some(held) => answer.map(|body| Body::new(HeldBody::new(body, held, unsent))),
        None => answer,
    })
}

fn refusal(is_public_https: bool) -> Response<&'static str> {
    let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY, is_public_https);
    let headers = answer.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    answer
}

/// Returns a response that does not come from a handler.
fn plain(status: StatusCode, text: &'static str, is_public_https: bool) -> Response<&'static str> {
    let mut answer = Response::new(text);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    every_answer(headers, is_public_https);
    RequestId::fresh().write(headers);
    answer
}

/// Sends a response to a client whose share is used up, without waiting for the client if possible, and closes the
/// connection.
fn turn_away(stream: &TcpStream, answer: &Response<&'static str>) {
    let mut text = format!(
        "HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n",
        answer.status(),
        answer.body().len()
    )
    .into_bytes();
    for (name, value) in answer.headers() {
        text.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    text.extend([b"\r\n", answer.body().as_bytes()].concat());
    if let Err(error) = stream.try_write(&text) {
        tracing::debug!(%error, "a 503 could not be sent to a client over its limit");
    }
}

/// Returns the next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY could not be set for a connection");
                }
                return Some((stream, address, place));
            }
            // The connection broke before it was accepted, or there are no free file descriptors. The latter takes a
            // moment to change.
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpSocket;
    use tokio::sync::oneshot;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    /// More than the system's buffers for a connection can hold.
    const LARGE: usize = 64 * 1024 * 1024;

    async fn started(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let router = Router::new()
            .route(
                "/",
                get(|ConnectInfo(address): ConnectInfo<SocketAddr>| async move { address.to_string() }),
            )
            .route("/large", get(|| async { vec![0; LARGE] }))
            .route("/echo", post(|body: Bytes| async { body }));
        let task = tokio::spawn(serve(listener, router, limits, async {
            let _ = stopped.await;
        }));
        (address, stop, task)
    }

    /// Connects from an address in the loopback network.
    async fn from(local: &str, address: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        let local = SocketAddr::new(local.parse().expect("an address"), 0);
        socket.bind(local).expect("an address of this machine");
        socket.connect(address).await.expect("a connection")
    }

    /// Returns the beginning of the response to this request.
    async fn answer(connection: &mut TcpStream, request: &[u8]) -> String {
        connection.write_all(request).await.expect("a request");
        start_of_answer(connection).await
    }

    async fn start_of_answer(connection: &mut TcpStream) -> String {
        let mut start = [0; 12];
        connection.read_exact(&mut start).await.expect("an answer");
        String::from_utf8_lossy(&start).into_owned()
    }

    /// Reads everything until the other side closes.
    async fn rest(connection: &mut TcpStream) -> String {
        let mut text = Vec::new();
        let _ = connection.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Half a head occupies the only place until the time limit. On a busy machine the next client may itself be too
    /// slow for such a short limit, so several clients try.
    #[tokio::test]
    async fn a_head_that_does_not_come_is_not_waited_for() {
        let limits = Limits {
            head: Duration::from_millis(100),
            ..Limits::new(1, Vec::new())
        };
        let (address, stop, task) = started(limits).await;
        let mut slow = TcpStream::connect(address).await.expect("a connection");
        slow.write_all(b"GET / HTTP/1.1\r\nhost: lo")
            .await
            .expect("half a head");
        let (answer, own) = loop {
            let mut next = TcpStream::connect(address).await.expect("a connection");
            let _ = next.write_all(REQUEST).await;
            let answer = rest(&mut next).await;
            if !answer.is_empty() {
                break (answer, next.local_addr().expect("an address").to_string());
            }
        };
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&own), "{answer}");
        assert!(!rest(&mut slow).await.contains("200"));
        stop.send(()).expect("it runs");
        task.await.expect("an orderly end");
    }

    #[tokio::test]
    async fn a_reader_that_never_reads_is_cut_off_and_leaves_its_place() {
        let mut limits = Limits::new(1, Vec::new());
        limits.write.within = Duration::from_millis(100);
        let (address, _stop, _task) = started(limits).await;
        let mut deaf = TcpStream::connect(address).await.expect("a connection");
        let large = b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n";
        deaf.write_all(large).await.expect("a request");
        // Waits until the only place is free.
        let mut next = TcpStream::connect(address).await.expect("a connection");
        assert_eq!(answer(&mut next, REQUEST).await, "HTTP/1.1 200");
        assert!(rest(&mut deaf).await.len() < LARGE);
    }

    #[tokio::test]
    async fn one_address_cannot_take_all_connections() {
        let (address, _stop, _task) = started(Limits::new(8, Vec::new())).await;
        let mut held = [from("127.0.0.2", address).await, from("127.0.0.2", address).await];
        for connection in &mut held {
            assert_eq!(answer(connection, REQUEST).await, "HTTP/1.1 200");
        }
        assert_eq!(
            start_of_answer(&mut from("127.0.0.2", address).await).await,
            "HTTP/1.1 503"
        );
        let mut other = from("127.0.0.3", address).await;
        assert_eq!(answer(&mut other, REQUEST).await, "HTTP/1.1 200");
        drop(held);
        // The server notices the end a moment later.
        let mut start = [0; 12];
        while &start != b"HTTP/1.1 200" {
            let mut connection = from("127.0.0.2", address).await;
            // A connection that is turned away may be closed before the client has read the response.
            let _ = connection.write_all(REQUEST).await;
            let _ = connection.read_exact(&mut start).await;
        }
    }

    #[tokio::test]
    async fn whoever_is_turned_away_gets_the_headers_of_every_answer() {
        for (is_public_https, proxies) in [(true, Vec::new()), (true, vec!["127.0.0.9"]), (false, Vec::new())] {
            let proxies: Vec<Network> = proxies.iter().map(|one| one.parse().expect("a network")).collect();
            let is_behind_proxy = !proxies.is_empty();
            let limits = Limits {
                is_public_https,
                ..Limits::new(4, proxies)
            };
            let (address, _stop, _task) = started(limits).await;
            let asked = |path| format!("GET {path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 198.51.100.7\r\n\r\n");
            let mut held = from("127.0.0.9", address).await;
            assert_eq!(answer(&mut held, asked("/large").as_bytes()).await, "HTTP/1.1 200");
            let mut refused = from("127.0.0.9", address).await;
            if is_behind_proxy {
                refused.write_all(asked("/").as_bytes()).await.expect("a request");
                refused.shutdown().await.expect("nothing more");
            }
            let said = rest(&mut refused).await;
            assert!(said.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{said}");
            assert!(said.ends_with(&format!("\r\n\r\n{TOO_MANY}")), "{said}");
            assert!(said.contains("retry-after: 5\r\n"), "{said}");
            has_the_headers_of_every_answer(&said);
            let transport = "strict-transport-security: max-age=63072000\r\n";
            assert_eq!(said.contains(transport), is_public_https, "{said}");
        }
    }

    #[tokio::test]
    async fn behind_a_proxy_each_client_has_its_share_and_the_proxy_all() {
        let proxies = vec!["127.0.0.9".parse().expect("a network")];
        let (address, _stop, _task) = started(Limits::new(8, proxies)).await;
        let request = |client: &str, path: &str| {
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {client}\r\n\r\n").into_bytes()
        };
        let mut held = Vec::new();
        for _ in 0..2 {
            let mut connection = from("127.0.0.9", address).await;
            // The request counts as running until the client has read the response.
            let asked = request("198.51.100.7", "/large");
            assert_eq!(answer(&mut connection, &asked).await, "HTTP/1.1 200");
            held.push(connection);
        }
        for (client, status) in [
            ("198.51.100.7", "HTTP/1.1 503"),
            // Addresses that clients themselves add to the header do not count.
            ("192.0.2.1, 198.51.100.7", "HTTP/1.1 503"),
            ("198.51.100.8", "HTTP/1.1 200"),
            ("unknown", "HTTP/1.1 200"),
        ] {
            let mut connection = from("127.0.0.9", address).await;
            let said = answer(&mut connection, &request(client, "/")).await;
            assert_eq!(said, status, "{client}");
            held.push(connection);
        }
        // The header of a client that is not a proxy is ignored.
        for (client, status) in [("192.0.2.1", "HTTP/1.1 200"), ("192.0.2.2", "HTTP/1.1 200")] {
            let mut connection = from("127.0.0.2", address).await;
            assert_eq!(answer(&mut connection, &request(client, "/")).await, status);
            held.push(connection);
        }
    }

    #[tokio::test]
    async fn a_malformed_request_is_answered_with_400_and_its_connection_closed() {
        let (address, _stop, _task) = started(Limits::new(8, Vec::new())).await;
        for request in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: y\n\r\n",
            "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "nonsense\r\n\r\n",
            "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            let mut connection = TcpStream::connect(address).await.expect("a connection");
            connection.write_all(request.as_bytes()).await.expect("a request");
            let said = rest(&mut connection).await;
            assert!(
                said.starts_with("HTTP/1.1 400") && said.matches("HTTP/1.1 4").count() == 1,
                "{request:?}: {said}"
            );
            has_the_headers_of_every_answer(&said);
        }
    }

    #[tokio::test]
    async fn bodies_of_both_kinds_and_requests_behind_them_come_through() {
        let (address, _stop, _task) = started(Limits::new(8, Vec::new())).await;
        let mut connection = TcpStream::connect(address).await.expect("a connection");
        let long = "x".repeat(200_000);
        let sent = format!(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{long}\
             POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n30d40\r\n{long}\r\n2;a=b\r\nyz\r\n0\r\n\r\n\
             GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            long.len()
        );
        let (mut reading, mut writing) = connection.split();
        let mut said = Vec::new();
        let (wrote, read) = tokio::join!(writing.write_all(sent.as_bytes()), reading.read_to_end(&mut said));
        wrote.expect("it is sent");
        read.expect("it is answered");
        let said = String::from_utf8_lossy(&said);
        assert_eq!(said.matches("HTTP/1.1 200").count(), 3, "{}", said.len());
        assert!(
            said.contains(&format!("\r\n\r\n{long}HTTP/1.1 200")) && said.contains(&format!("{long}yzHTTP/1.1 200"))
        );
    }

    #[tokio::test]
    async fn a_head_that_is_too_long_is_refused_with_words() {
        let (address, _stop, _task) = started(Limits::new(8, Vec::new())).await;
        let mut connection = TcpStream::connect(address).await.expect("a connection");
        let head = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(head::LONGEST_HEAD));
        connection.write_all(head.as_bytes()).await.expect("a request");
        let said = rest(&mut connection).await;
        assert!(said.starts_with("HTTP/1.1 431"), "{said}");
        has_the_headers_of_every_answer(&said);
    }

    #[track_caller]
    fn has_the_headers_of_every_answer(said: &str) {
        for header in ["cache-control: no-store\r\n", "x-content-type-options: nosniff\r\n"] {
            assert!(said.contains(header), "{said}");
        }
    }

    #[tokio::test]
    async fn the_end_closes_idle_connections_and_takes_no_new_ones() {
        let (address, stop, task) = started(Limits::new(8, Vec::new())).await;
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
