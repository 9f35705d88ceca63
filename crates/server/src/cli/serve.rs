//! `serve`: API, pages and background work in one process.
//!
//! Binds, opens the installation, prints the address and serves. The first line on standard output contains the
//! address, and a request that arrives right after it is answered. Slow preparations that are not needed yet (fonts,
//! the first use of the cryptography) happen in the background. After a stop signal, running requests and deliveries
//! have some time to finish.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use app::{App, Error};
use clap::{Args, ValueEnum};
use store::Store;
use tokio::sync::watch;

use super::Context;
use super::doctor::missing_files;
use crate::background;
use crate::connections::{self, Limits};
use crate::file_limit::FileLimit;
use crate::one_server::OneServer;
use crate::opened::{Absent, Opened};
use crate::output::Failure;
use crate::watch::Watched;

/// The time that running requests may take after a stop signal.
const GRACE: Duration = Duration::from_secs(20);
/// The pause between two attempts to reach the database.
const DATABASE_PAUSE: Duration = Duration::from_millis(500);
/// Blocking threads for deliveries and jobs, in addition to those for requests.
const OWN_THREADS: usize = 16;
/// Stamping and sealing recurse into documents, so their threads need a large stack.
const STACK: usize = 8 * 1024 * 1024;

/// Run the service; the first line of output is the address it listens on
#[derive(Debug, Args)]
pub struct Serve {
    /// The address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Run only the web side or only the background work; splitting them needs PostgreSQL
    #[arg(long, value_enum)]
    role: Option<Role>,
}

/// The part of the work that a process does if the work is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// API and pages
    Web,
    /// Deliveries and jobs
    Worker,
}

impl Serve {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let files = FileLimit::raise(context.place.configuration.files());
        // Kept until the end, so that no second server uses this folder meanwhile.
        let mut one_server = Serve::claim(context)?;
        let listener = if self.role == Some(Role::Worker) {
            None
        } else {
            Some(self.bind(context)?)
        };
        let bound = listener.as_ref().map(TcpListener::local_addr).transpose();
        let bound = bound.map_err(|error| Failure::Other(error.to_string()))?;
        if let (Some(one_server), Some(bound)) = (&mut one_server, bound) {
            one_server
                .tell(bound)
                .map_err(|error| Failure::Other(format!("the lock file cannot be written: {error}")))?;
        }
        wait_for_database(context)?;
        let Opened { app, workers } = context.place.open(bound, Absent::Make)?;
        // This thread must drop the application last, because its parts own threads that no async task may wait for.
        let last = Arc::clone(&app);
        let http = context.place.configuration.http()?;
        let mail = context.place.configuration.mail()?;
        let messengers = context.place.configuration.messengers()?;
        let egress = context.place.configuration.egress()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(http.threads().saturating_add(OWN_THREADS))
            .thread_stack_size(STACK)
            .build()
            .map_err(|error| Failure::Other(format!("the threads cannot be started: {error}")))?;
        // Installed before the address is printed, because its reader may stop the process immediately.
        let mut stop = {
            let _within = runtime.enter();
            StopSignals::catch()
                .map_err(|error| Failure::Other(format!("signal handlers cannot be installed: {error}")))?
        };
        prove(&app)?;
        let metrics = crate::watch::bind(&context.place.configuration.metrics.listen);
        announce(bound);
        if bound.is_some() {
            announce_first_run(&app)?;
        }
        warm_up(&app);
        runtime.block_on(async {
            let (end, ended) = watch::channel(false);
            let place = &context.place;
            let watched = Watched::new(&app, workers, place.data.clone(), place.files_folder());
            if let Some(listener) = metrics {
                watched.start(listener, ended.clone());
            }
            let background = if self.role == Some(Role::Web) {
                tokio::spawn(background::tell_of_rings(Arc::clone(&app), ended.clone()));
                None
            } else {
                Some(background::start(
                    Arc::clone(&app),
                    &egress,
                    mail,
                    messengers,
                    ended.clone(),
                )?)
            };
            match listener {
                Some(listener) => web(listener, app, http, files, &end, stop).await?,
                None => stop.first().await,
            }
            let _ = end.send(true);
            if let Some(background) = background
                && tokio::time::timeout(GRACE, background.finished()).await.is_err()
            {
                tracing::warn!("background work did not end in time; it will resume when its leases expire");
            }
            Ok::<(), Failure>(())
        })?;
        runtime.shutdown_timeout(Duration::from_secs(1));
        drop(last);
        drop(one_server);
        tracing::info!("ended");
        Ok(ExitCode::SUCCESS)
    }

    /// Claims the data folder for this server alone if the database is SQLite.
    fn claim(context: &Context) -> Result<Option<OneServer>, Failure> {
        let place = &context.place;
        match place.configuration.store(&place.data)? {
            store::Settings::Postgres { .. } => Ok(None),
            store::Settings::Sqlite { .. } => {
                place.make_folder()?;
                let claimed = OneServer::claim(&place.data).map_err(|fault| Failure::Other(fault.to_string()))?;
                Ok(Some(claimed))
            }
        }
    }

    fn bind(&self, context: &Context) -> Result<TcpListener, Failure> {
        let address = self
            .listen
            .as_deref()
            .unwrap_or(&context.place.configuration.server.listen);
        let listener = TcpListener::bind(address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|error| {
                Failure::Other(format!(
                    "cannot listen on {address}: {error}; choose another address with --listen"
                ))
            })?;
        Ok(listener)
    }
}

/// Waits for the database server, which may become ready later than this one, for example after a power cut.
fn wait_for_database(context: &Context) -> Result<(), Failure> {
    let settings = context.place.configuration.store(&context.place.data)?;
    let patience = Duration::from_secs(context.place.configuration.database.wait_seconds);
    let began = Instant::now();
    let mut has_waited = false;
    loop {
        match Store::open(&settings) {
            Ok(_) => break,
            Err(error @ store::Error::Unreachable { .. }) if began.elapsed() < patience => {
                if !has_waited {
                    let most = patience.as_secs();
                    tracing::warn!(%error, "waiting up to {most} s for the database");
                }
                has_waited = true;
                std::thread::sleep(DATABASE_PAUSE);
            }
            Err(error) => return Err(error.into()),
        }
    }
    if has_waited {
        tracing::info!("the database became ready after {} s", began.elapsed().as_secs());
    }
    Ok(())
}

async fn web(
    listener: TcpListener,
    app: Arc<App>,
    settings: countersign_http::HttpSettings,
    files: FileLimit,
    end: &watch::Sender<bool>,
    mut stop: StopSignals,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Other(format!("serving: {error}"));
    let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
    let limits = Limits {
        is_public_https: app.settings.public_url.starts_with("https://"),
        ..Limits::new(files.connections(), settings.trusted_proxies.clone())
    };
    tracing::info!(
        files = files.files,
        connections = limits.most,
        "the limit of open files was set"
    );
    if files.is_too_low() {
        tracing::warn!("the limit of open files is too low; run `countersign doctor`");
    }
    let router = countersign_http::router(app, settings);
    let end = end.clone();
    let mut ended = end.subscribe();
    let serving = connections::serve(listener, router, limits, async move {
        stop.first().await;
        tracing::info!("shutting down; running requests may finish");
        let _ = end.send(true);
    });
    let too_long = async move {
        let _ = ended.wait_for(|ended| *ended).await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = serving => {}
        () = too_long => tracing::warn!("running requests were cut off at shutdown"),
    }
    Ok(())
}

/// Finds what is wrong before anybody waits for an answer.
fn prove(app: &App) -> Result<(), Failure> {
    if app.settings.fonts_folder.is_some() {
        // Reports an unreadable font now, not to the first signer.
        app.fonts()?;
    }
    prove_mail_templates(app)?;
    prove_sealing(app)?;
    crate::restored::warn(&app.store)?;
    warn_of_files(app);
    Ok(())
}

/// Prints the first line on standard output. If nobody reads it any more, we carry on.
fn announce(bound: Option<SocketAddr>) {
    let line = match bound {
        Some(address) => format!("listening on http://{address}"),
        None => "working in the background".to_owned(),
    };
    crate::output::announce(&line);
    tracing::info!("{line}");
}

/// As long as there is no company, prints the address at which a browser creates the first one. It contains a secret, so
/// the log does not have it.
fn announce_first_run(app: &App) -> Result<(), Failure> {
    if let Some(code) = app.first_run_code()? {
        let address = format!("{}/first-run?token={}", app.settings.public_url, code.expose());
        crate::output::announce(&format!(
            "There is no company yet. To create the first one, open {address}"
        ));
    }
    Ok(())
}

/// A file store that cannot be used, or another one than before, is repaired sooner if the log says so at the start. The
/// server starts all the same: until then, what needs files gets 503.
fn warn_of_files(app: &App) {
    let place = app.blobs.named();
    match app
        .blobs
        .probe()
        .map_err(Error::from)
        .and_then(|()| missing_files(&app.blobs, &app.store))
    {
        Ok(0) => {}
        Ok(missing) => tracing::error!(
            missing,
            place,
            "files that the database names are not in the file store; run `countersign doctor`"
        ),
        Err(error) => tracing::error!(%error, place, "the file store cannot be used; run `countersign doctor`"),
    }
}

/// Checks the operator's own mail templates, which are used as written. An invalid one is reported before anyone gets a
/// mail.
fn prove_mail_templates(app: &App) -> Result<(), Failure> {
    let faults = app.settings.mail_templates.faults();
    if faults.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Err(Failure::Other(format!(
        "some mail templates in mail.templates_folder cannot be used; fix them or remove them from the folder:\n  {}",
        lines.join("\n  ")
    )))
}

/// Refuses to start a server whose root cannot certify. A company that cannot seal does not affect others: the log says
/// why, and that company cannot start documents.
fn prove_sealing(app: &App) -> Result<(), Failure> {
    for (company, error) in app.prove_sealing()? {
        tracing::error!(%company, %error, "this company cannot seal, so no documents can be started for it; run `countersign doctor`");
    }
    Ok(())
}

/// Prepares what the first user would otherwise have to wait for.
fn warm_up(app: &Arc<App>) {
    let app = Arc::clone(app);
    std::thread::spawn(move || {
        if let Err(error) = document::pki::keys::PrivateKey::generate(document::pki::keys::KeyKind::EcdsaP256) {
            tracing::error!(%error, "cryptography could not be initialized");
        }
        if let Err(error) = app.fonts() {
            tracing::error!(%error, "the fonts could not be loaded");
        }
    });
}

/// The signals that stop the process, caught from the moment this is created.
struct StopSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl StopSignals {
    #[cfg(unix)]
    fn catch() -> std::io::Result<StopSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(StopSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "catching signals can fail elsewhere")]
    fn catch() -> std::io::Result<StopSignals> {
        Ok(StopSignals {})
    }

    #[cfg(unix)]
    async fn first(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn first(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
