//! State shared by all handlers: the use cases, the threads on which they run, and the queues for limited resources.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;

use app::{App, Error, PageAnswer, PagePart, ThrottleCode};
use domain::turns::Bounds;
use domain::{ClientNetwork, Requester};
use jiff::Timestamp;

use super::blocking::{Blocking, answering, requester};
use super::client_address::Network;
use super::link_owners::LinkOwners;
use super::rate::Rate;
use super::shares::{Shares, Turn};

const HEALTH: usize = 1;

/// Number of threads for finding out who sent a request.
const LOOK_UPS: usize = 32;

/// Maximum number of waiting worker requests per link. Most are for pages, and they wait without a thread.
const WAITING_JOBS_OF_LINK: usize = 64;

const WAITING_JOBS_OF_GROUP: usize = 500;

/// Maximum number of waiting logins per pair of network and company, and per network. They occupy no thread, and each
/// turn is short.
const WAITING_LOGINS_AT_ONE: usize = 500;

const WAITING_LOGINS: usize = 1_000;

/// The window in which starts by public links are counted, in seconds. For each allowed start, `REFUSED_FOR_ONE`
/// refused tries are allowed.
const LINK_WINDOW_SECONDS: i64 = 600;

const REFUSED_FOR_ONE: u32 = 10;

/// Maximum number of concurrent test deliveries, and of waiting ones per company.
const TRIALS: usize = 8;

const WAITING_TRIALS: usize = 4;

/// Maximum number of large bulk sends read and checked at once, and of waiting ones per company.
const BULKS: usize = 2;

const WAITING_BULKS: usize = 4;

/// The operator's settings for the web server.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Proxies whose `X-Forwarded-*` headers we trust.
    pub trusted_proxies: Vec<Network>,
    /// Maximum size of a JSON body, in bytes.
    pub json_limit: u64,
    /// Maximum number of concurrent use cases.
    pub concurrent_requests: usize,
    /// Number of document workers. Requests that need one wait without a thread, and are dropped if the client
    /// disconnects.
    pub workers: usize,
    /// Maximum number of documents that one address may start by public links in ten minutes.
    pub link_starts: u32,
}

impl HttpSettings {
    /// Returns the maximum number of threads used by requests.
    pub fn threads(&self) -> usize {
        self.concurrent_requests.saturating_add(LOOK_UPS + HEALTH)
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            json_limit: 32 * 1024 * 1024,
            concurrent_requests: 64,
            workers: 2,
            link_starts: 20,
        }
    }
}

/// State shared by all handlers. Cheap to clone, because each layer of each request clones it.
#[derive(Clone)]
pub struct Http(Arc<Shared>);

struct Shared {
    app: Arc<App>,
    settings: HttpSettings,
    blocking: Blocking,
    look_ups: Blocking,
    health: Blocking,
    workers: Shares,
    logins: Shares,
    trials: Shares,
    bulks: Shares,
    visits: Visits,
    link_owners: LinkOwners,
    /// The paths of all routes.
    paths: HashSet<&'static str>,
    /// The paths of the routes for link tokens.
    behind_links: HashSet<&'static str>,
}

/// Actions of visitors to public links, counted by address.
#[derive(Debug, Clone)]
pub struct Visits {
    starts: Rate,
    refused: Rate,
}

impl Visits {
    fn new(starts: u32) -> Self {
        Self {
            starts: Rate::new(starts, LINK_WINDOW_SECONDS),
            refused: Rate::new(starts.saturating_mul(REFUSED_FOR_ONE), LINK_WINDOW_SECONDS),
        }
    }

    /// Counts a start before it happens, or returns the time to wait.
    pub fn begin(&self, address: IpAddr, now: Timestamp) -> Result<(), Error> {
        let throttled = |wait| Error::throttled(ThrottleCode::LinkNetwork, wait);
        self.refused.count(address, now).map_err(throttled)?;
        self.refused.take_back(address);
        self.starts.count(address, now).map_err(throttled)
    }

    /// Counts a start that was refused.
    pub fn refused(&self, address: IpAddr, now: Timestamp) {
        self.starts.take_back(address);
        // The limit for refused tries takes effect at the address's next try.
        let _ = self.refused.count(address, now);
    }
}

impl Http {
    /// `paths` contains the paths of all routes, and `behind_links` those of the routes for link tokens.
    pub fn new(
        app: Arc<App>,
        settings: HttpSettings,
        paths: HashSet<&'static str>,
        behind_links: HashSet<&'static str>,
    ) -> Self {
        let blocking = Blocking::new(settings.concurrent_requests);
        // Most of a login's time is spent on its hash. Two extra places keep every hashing turn in use. The total is
        // doubled because strangers get half of the places, and everyone who logs in is a stranger. A flood of logins
        // to one company's accounts from one network takes only the hashing turns, so any other login waits for at most
        // one hash.
        let hashes = usize::try_from(app.settings.login.concurrent_hashes).unwrap_or(1);
        let logins = Bounds {
            places: hashes.saturating_add(2).saturating_mul(2),
            of_link: 1,
            waiting_of_one: WAITING_LOGINS_AT_ONE,
            waiting_of_group: WAITING_LOGINS,
        };
        let workers = Bounds {
            places: settings.workers,
            of_link: 1,
            waiting_of_one: WAITING_JOBS_OF_LINK,
            waiting_of_group: WAITING_JOBS_OF_GROUP,
        };
        let of_companies = |places, waiting_of_group| {
            Shares::new(Bounds {
                places,
                of_link: 1,
                waiting_of_one: 0,
                waiting_of_group,
            })
        };
        Self(Arc::new(Shared {
            workers: Shares::new(workers),
            logins: Shares::new(logins),
            trials: of_companies(TRIALS, WAITING_TRIALS),
            bulks: of_companies(BULKS, WAITING_BULKS),
            visits: Visits::new(settings.link_starts),
            link_owners: LinkOwners::default(),
            paths,
            behind_links,
            app,
            settings,
            blocking,
            look_ups: Blocking::new(LOOK_UPS),
            health: Blocking::new(HEALTH),
        }))
    }

    /// Returns the use cases. Call those that access the database or a file through [`Http::blocking`].
    pub fn app(&self) -> &Arc<App> {
        &self.0.app
    }

    pub fn settings(&self) -> &HttpSettings {
        &self.0.settings
    }

    /// Returns the public address without a trailing slash.
    pub fn public_url(&self) -> &str {
        &self.0.app.settings.public_url
    }

    /// Whether browsers should use only https.
    pub fn is_public_https(&self) -> bool {
        self.public_url().starts_with("https://")
    }

    /// Returns the value of `WWW-Authenticate`, with both accepted schemes.
    pub fn challenge(&self) -> String {
        format!(
            "{} realm=\"countersign\", Bearer realm=\"countersign\"",
            self.0.app.settings.auth_scheme
        )
    }

    /// Runs a use case on a blocking thread.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        self.0.blocking.run(move || work(&app)).await
    }

    /// Finds out who sent a request, on separate threads that networks share.
    pub async fn look_up<T, F>(&self, network: ClientNetwork, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        let looked_up = self.0.look_ups.run(move || work(&app));
        answering(Requester::Stranger(network), looked_up).await
    }

    /// Runs a use case that needs a document worker. It waits for its turn without a thread, and never starts if the
    /// client has disconnected.
    pub async fn at_worker<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App, &Requester) -> Result<T, Error> + Send + 'static,
    {
        let requester = requester();
        let turn = self.0.workers.turn(&requester).await?;
        self.blocking(move |app| {
            let _turn = turn;
            work(app, &requester)
        })
        .await
    }

    /// Returns a page's image or text.
    pub async fn page_part<F>(&self, look: F) -> Result<PagePart, Error>
    where
        F: Send + 'static + FnOnce(&App) -> Result<PageAnswer, Error>,
    {
        match self.blocking(look).await? {
            PageAnswer::Kept(part) => Ok(part),
            PageAnswer::ToMake(wanted) => {
                self.at_worker(move |app, requester| app.make_page_part(requester, &wanted))
                    .await
            }
        }
    }

    /// Runs a health check on a separate thread, so that it does not wait for use cases.
    pub async fn health<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        self.0.health.run(move || work(&app)).await
    }

    pub fn visits(&self) -> &Visits {
        &self.0.visits
    }

    /// Returns the queue for test deliveries, which wait for other people's servers.
    pub fn trials(&self) -> &Shares {
        &self.0.trials
    }

    /// Returns the queue for large bulk sends, which need much memory while they are checked.
    pub fn bulks(&self) -> &Shares {
        &self.0.bulks
    }

    /// Returns a route's path pattern, for metrics.
    pub(crate) fn route_of(&self, path: &str) -> &'static str {
        self.0.paths.get(path).copied().unwrap_or("none")
    }

    /// Whether link tokens open this path, so that its readers are signers and visitors.
    pub(crate) fn is_behind_links(&self, path: &str) -> bool {
        self.0.behind_links.contains(path)
    }

    pub(crate) fn link_owners(&self) -> &LinkOwners {
        &self.0.link_owners
    }

    /// Waits for a turn to log in. Networks share the turns, and the existing companies within a network share that
    /// network's turns. All made-up names count as one company.
    pub async fn turn_to_log_in(&self, address: IpAddr, company: &str) -> Result<Turn, Error> {
        let (network, company) = (ClientNetwork::of(address), company.to_owned());
        let company = self.look_up(network, move |app| app.company_named(&company)).await?;
        self.0.logins.turn(&Requester::SignIn { network, company }).await
    }
}
