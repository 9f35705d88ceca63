//! The operator's own listener: `/metrics`, and `/livez` and `/readyz` with reasons.
//!
//! It is never the public listener, because reasons and numbers would show strangers how the service works inside. By
//! default, only this machine can reach the address. If it is in use, for example by a second server, the process logs
//! that and works without this listener. A process without a public listener (`serve --role worker`) has this one too.

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

/// The maximum number of open connections.
const CONNECTIONS: usize = 16;
/// How long a response waits for new numbers. A database that does not answer must not hide the other numbers.
const PATIENCE: Duration = Duration::from_secs(2);

/// The sources of the metrics.
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
            Err(error) => return tracing::error!(%error, "metrics could not be served"),
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

/// Binds the address, if there is one and it is free.
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
            tracing::warn!(%error, "metrics are not available, because the server cannot listen on {listen}; set metrics.listen to a free address");
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
        tracing::warn!("reading the numbers for the metrics took too long; some are out of date");
    }
    ([(header::CONTENT_TYPE, metrics::MEDIA_TYPE)], metrics::as_text())
}
