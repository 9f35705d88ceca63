//! The operator's own listener: `/metrics`, and `/livez` and `/readyz` with reasons.
//!
//! It is never the public listener, because reasons and numbers tell strangers how the inside works. The default is an
//! address that only this machine reaches. If it is in use, by a second server for example, this one logs that and works
//! without it. A process that has no public listener (`serve --role worker`) has this one too.

mod readings;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Check, Readiness};
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use self::readings::Readings;
use crate::connections::{self, Limits};
use crate::documents::Workers;

/// How many connections are open at the same time.
const CONNECTIONS: usize = 16;
/// How long an answer waits for new numbers. A database that does not answer must not hide the other numbers.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is watched.
pub struct Watched {
    app: Arc<App>,
    readings: Readings,
}

impl Watched {
    pub fn new(app: &Arc<App>, workers: Arc<Workers>, data: PathBuf, files: Option<PathBuf>) -> Arc<Watched> {
        Arc::new(Watched {
            app: Arc::clone(app),
            readings: Readings::new(Arc::clone(app), workers, data, files),
        })
    }

    /// Serves until `ended` turns true.
    pub fn start(self: Arc<Self>, listener: TcpListener, mut ended: watch::Receiver<bool>) {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, "metrics cannot be served"),
        };
        let limits = Limits {
            share: CONNECTIONS,
            ..Limits::new(CONNECTIONS, Vec::new())
        };
        tokio::spawn(connections::serve(listener, router(self), limits, async move {
            let _ = ended.wait_for(|ended| *ended).await;
        }));
    }
}

/// Listens, if there is an address and it is free.
pub fn bind(listen: &str) -> Option<TcpListener> {
    if listen.is_empty() {
        return None;
    }
    let bound = TcpListener::bind(listen).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok((listener.local_addr()?, listener))
    });
    match bound {
        Ok((address, listener)) => {
            tracing::info!("metrics on http://{address}/metrics");
            Some(listener)
        }
        Err(error) => {
            tracing::warn!(%error, "cannot listen on {listen}, so nobody can read the metrics; set metrics.listen to a free address");
            None
        }
    }
}

fn router(watched: Arc<Watched>) -> Router {
    Router::new()
        .route("/livez", get(|| async { Json(json!({"status": "ok"})) }))
        .route("/readyz", get(ready))
        .route("/metrics", get(text))
        .with_state(watched)
}

async fn ready(State(watched): State<Arc<Watched>>) -> (StatusCode, Json<Value>) {
    match spawn_blocking(move || watched.app.readiness()).await {
        Ok(readiness) => (status_of(&readiness), Json(said(&readiness))),
        Err(error) => {
            tracing::error!(%error, "checking panicked");
            (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({"status": "unready"})))
        }
    }
}

fn status_of(readiness: &Readiness) -> StatusCode {
    if readiness.is_ready() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    }
}

fn said(readiness: &Readiness) -> Value {
    let status = match (
        readiness.is_ready(),
        readiness.checks.iter().all(|check| check.fault.is_none()),
    ) {
        (true, true) => "ready",
        (true, false) => "degraded",
        (false, _) => "unready",
    };
    let of_check = |check: &Check| match &check.fault {
        None => json!({"check": check.name, "status": "ok"}),
        Some(reason) => json!({"check": check.name, "status": "failing", "needed": check.is_needed, "reason": reason}),
    };
    json!({"status": status, "checks": readiness.checks.iter().map(of_check).collect::<Vec<_>>()})
}

async fn text(State(watched): State<Arc<Watched>>) -> ([(HeaderName, &'static str); 1], String) {
    let updating = spawn_blocking(move || watched.readings.update());
    if tokio::time::timeout(PATIENCE, updating).await.is_err() {
        tracing::warn!("the numbers for the metrics take long to read; some are old");
    }
    ([(header::CONTENT_TYPE, metrics::MEDIA_TYPE)], metrics::as_text())
}
