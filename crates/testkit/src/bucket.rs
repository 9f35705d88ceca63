//! An S3 service in this process (`s3s-fs`, which checks signatures and checksums), behind a proxy that breaks what it is
//! told to break.

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, Response, StatusCode};
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub const BUCKET: &str = "contracts";
pub const KEY: &str = "AKIATEST";
pub const SECRET: &str = "test-secret";
/// How long a test waits for something that takes a moment: only something that hangs takes this long.
const PATIENCE: Duration = Duration::from_mins(2);
/// Larger than every request of a test.
const LARGEST: usize = 256 * 1024 * 1024;

const ENCRYPTION: [&str; 2] = [
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-aws-kms-key-id",
];

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The service does not get it, and 500 is answered.
    Failed,
    /// The service does it, and 500 is answered.
    AnswerLost,
    /// No answer ever.
    Slow,
    /// The service does it; the answer breaks off in its body.
    Cut,
    /// A bit of the request's body, or else of the answer's, is another one.
    WrongBytes,
    /// 403, as for a key that was revoked.
    Refused,
}

/// Every fault.
pub const FAULTS: [Fault; 6] = [
    Fault::Failed,
    Fault::AnswerLost,
    Fault::Slow,
    Fault::Cut,
    Fault::WrongBytes,
    Fault::Refused,
];

type Meets = Box<dyn Fn(&Method, &str) -> bool + Send>;

struct Breaking {
    fault: Fault,
    meets: Meets,
    /// How many more times.
    times: u32,
}

#[derive(Default)]
struct Proxy {
    breaking: Mutex<Option<Breaking>>,
    requests: Mutex<Vec<(Method, String)>>,
    came: Condvar,
    /// How the last file was to be encrypted, and with which key.
    encryption: Mutex<Vec<String>>,
    /// Called when a request arrives, before it is done.
    meanwhile: Mutex<Option<Meanwhile>>,
}

type Meanwhile = Box<dyn FnOnce() + Send>;

/// The service with one empty bucket.
pub struct BucketServer {
    endpoint: String,
    proxy: Arc<Proxy>,
    folder: TempDir,
    _runtime: Runtime,
}

impl BucketServer {
    /// Listens on a free loopback port.
    pub fn start() -> BucketServer {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(BUCKET)).expect("a bucket");
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("a file system"));
        builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = builder.build();
        let proxy = Arc::new(Proxy::default());
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(pass).with_state((service, Arc::clone(&proxy)));
        runtime.spawn(async move { axum::serve(listener, router).await });
        BucketServer {
            endpoint,
            proxy,
            folder,
            _runtime: runtime,
        }
    }

    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The address of a prefix in the bucket.
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{BUCKET}/{prefix}")
    }

    /// The file that has a key's content.
    pub fn file(&self, key: &str) -> std::path::PathBuf {
        self.folder.path().join(BUCKET).join(key)
    }

    /// From now on this happens to every request.
    pub fn break_all(&self, fault: Fault) {
        self.break_some(fault, u32::MAX, |_, _| true);
    }

    /// This happens to the next requests of this kind.
    pub fn break_some(&self, fault: Fault, times: u32, meets: impl Fn(&Method, &str) -> bool + Send + 'static) {
        *lock(&self.proxy.breaking) = Some(Breaking {
            fault,
            meets: Box::new(meets),
            times,
        });
    }

    pub fn heal(&self) {
        *lock(&self.proxy.breaking) = None;
    }

    /// Whether the last fault has happened as often as it should.
    pub fn is_healed(&self) -> bool {
        lock(&self.proxy.breaking)
            .as_ref()
            .is_none_or(|breaking| breaking.times == 0)
    }

    /// Does something while the next DELETE of a file waits, which then waits further until this request has come twice.
    pub fn before_removal(&self, method: Method, path: &str, act: impl FnOnce() + Send + 'static) {
        let (proxy, path) = (Arc::clone(&self.proxy), path.to_owned());
        *lock(&self.proxy.meanwhile) = Some(Box::new(move || {
            lock(&proxy.requests).clear();
            act();
            let has_come = |requests: &mut Vec<(Method, String)>| {
                requests
                    .iter()
                    .filter(|(known, at)| *known == method && at.contains(&path))
                    .count()
                    >= 2
            };
            let waited = proxy
                .came
                .wait_timeout_while(lock(&proxy.requests), PATIENCE, |requests| !has_come(requests));
            assert!(!waited.expect("a lock").1.timed_out(), "{path} was not asked for");
        }));
    }

    /// How the last file that was put was to be encrypted, and with which key.
    pub fn encryption(&self) -> Vec<String> {
        lock(&self.proxy.encryption).clone()
    }

    /// Method and path of every request since the last call.
    pub fn requests(&self) -> Vec<(Method, String)> {
        std::mem::take(&mut lock(&self.proxy.requests))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Proxy {
    fn fault(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut breaking = lock(&self.breaking);
        let breaking = breaking.as_mut()?;
        if breaking.times == 0 || !(breaking.meets)(method, path) {
            return None;
        }
        breaking.times -= 1;
        Some(breaking.fault)
    }

    async fn meanwhile(&self, method: &Method, path: &str) {
        if method != Method::DELETE || path.contains("/removing/") || path.ends_with("/probe") {
            return;
        }
        let act = lock(&self.meanwhile).take();
        if let Some(act) = act {
            tokio::task::spawn_blocking(act).await.expect("it is done");
        }
    }
}

async fn pass(State((service, proxy)): State<(S3Service, Arc<Proxy>)>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, LARGEST).await.expect("the request's body");
    let (method, path) = (head.method.clone(), head.uri.path().to_owned());
    lock(&proxy.requests).push((method.clone(), path.clone()));
    proxy.came.notify_all();
    if method == Method::PUT {
        let headers = ENCRYPTION.iter().filter_map(|name| head.headers.get(*name));
        let values = headers.filter_map(|value| value.to_str().ok());
        *lock(&proxy.encryption) = values.map(str::to_owned).collect();
    }
    let fault = proxy.fault(&method, &path);
    proxy.meanwhile(&method, &path).await;
    let (body, flips_answer) = match fault {
        Some(Fault::WrongBytes) if !body.is_empty() => (flipped(&body), false),
        Some(Fault::WrongBytes) => (body, true),
        Some(Fault::Failed) => return plain(StatusCode::INTERNAL_SERVER_ERROR),
        Some(Fault::Refused) => return plain(StatusCode::FORBIDDEN),
        Some(Fault::Slow) => std::future::pending().await,
        _ => (body, false),
    };
    let request = Request::from_parts(head, s3s::Body::from(body));
    let answer = service.call(request).await.expect("the service answers");
    let (head, body) = answer.into_parts();
    let body = to_bytes(Body::new(body), LARGEST).await.expect("the answer's body");
    match fault {
        Some(Fault::AnswerLost) => plain(StatusCode::INTERNAL_SERVER_ERROR),
        Some(Fault::Cut) => cut(&method, head, &body),
        _ if flips_answer => Response::from_parts(head, Body::from(flipped(&body))),
        _ => Response::from_parts(head, Body::from(body)),
    }
}

fn plain(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

fn flipped(body: &Bytes) -> Bytes {
    let mut body = body.to_vec();
    let middle = body.len() / 2;
    if let Some(byte) = body.get_mut(middle) {
        *byte ^= 1;
    }
    body.into()
}

/// The first half of an answer, of which more was announced.
fn cut(method: &Method, mut head: axum::http::response::Parts, body: &Bytes) -> Response<Body> {
    if method == Method::HEAD {
        // There is no body to cut.
        return Response::from_parts(head, Body::empty());
    }
    if head.status == StatusCode::NO_CONTENT {
        head.status = StatusCode::OK;
    }
    head.headers.remove("transfer-encoding");
    head.headers.insert("content-length", (body.len() + 1).into());
    Response::from_parts(head, Body::new(CutBody(Some(body.slice(..body.len() / 2)))))
}

/// Ends with an error, upon which the connection is closed.
struct CutBody(Option<Bytes>);

impl http_body::Body for CutBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, std::io::Error>>> {
        Poll::Ready(Some(match self.0.take() {
            Some(half) => Ok(http_body::Frame::data(half)),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        }))
    }
}
