//! What every handler shares: the use-cases, the threads on which they run, and who waits for what.

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

/// One thread tells how the process is.
const HEALTH: usize = 1;

/// How many threads look up who is behind a request.
const LOOK_UPS: usize = 32;

/// What waits for a document worker, a page above all, holds no thread.
const WAITING_JOBS_OF_LINK: usize = 64;

const WAITING_JOBS_OF_GROUP: usize = 500;

/// How many logins wait, for each pair of network and company and for each network. They hold no thread, and each turn is short.
const WAITING_LOGINS_AT_ONE: usize = 500;

const WAITING_LOGINS: usize = 1_000;

/// Within so many seconds the starts by public links are counted, and so many times as many tries may be refused.
const LINK_WINDOW_SECONDS: i64 = 600;

const REFUSED_FOR_ONE: u32 = 10;

/// Test deliveries under way at the same time, and how many of one company's wait for their turn.
const TRIALS: usize = 8;

const WAITING_TRIALS: usize = 4;

/// Large bulk starts that are read and proved at the same time, and how many of one company's wait.
const BULKS: usize = 2;

const WAITING_BULKS: usize = 4;

/// What the operator chose for the web side.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Proxies whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<Network>,
    /// The largest JSON body, in bytes.
    pub json_limit: u64,
    /// How many use-cases run at the same time.
    pub concurrent_requests: usize,
    /// How many document workers there are: what is known to need one waits for it here, without a thread, and is dropped
    /// where nobody wants it any more.
    pub workers: usize,
    /// How many documents one address may start by public links within ten minutes.
    pub link_starts: u32,
}

impl HttpSettings {
    /// The most threads that requests use at the same time.
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

/// What every handler shares. Cheap to clone: each layer of each request does.
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
    /// The paths of the routes that link tokens open.
    behind_links: HashSet<&'static str>,
}

/// What visitors of public links do from one address.
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

    /// Counts a start before it happens, or says when to come again.
    pub fn begin(&self, address: IpAddr, now: Timestamp) -> Result<(), Error> {
        let throttled = |wait| Error::throttled(ThrottleCode::LinkNetwork, wait);
        self.refused.count(address, now).map_err(throttled)?;
        self.refused.take_back(address);
        self.starts.count(address, now).map_err(throttled)
    }

    /// Nothing was started.
    pub fn refused(&self, address: IpAddr, now: Timestamp) {
        self.starts.take_back(address);
        // Who has been refused too often is told so at his next try.
        let _ = self.refused.count(address, now);
    }
}

impl Http {
    /// The web side of `app`, whose signers and visitors ask for the paths `behind_links`.
    pub fn new(app: Arc<App>, settings: HttpSettings, behind_links: HashSet<&'static str>) -> Self {
        let blocking = Blocking::new(settings.concurrent_requests);
        // A hash is most of a login; two more are let in, so that no turn to hash is left unused. All who sign in are
        // strangers, who have half of the places. A flood at one company's accounts from one network takes only the turns to
        // hash, so any other login waits for one hash at most.
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
            behind_links,
            app,
            settings,
            blocking,
            look_ups: Blocking::new(LOOK_UPS),
            health: Blocking::new(HEALTH),
        }))
    }

    /// The use-cases. Those that touch the database or a file go through [`Http::blocking`].
    pub fn app(&self) -> &Arc<App> {
        &self.0.app
    }

    /// What the operator chose.
    pub fn settings(&self) -> &HttpSettings {
        &self.0.settings
    }

    /// The public address, with no slash at its end.
    pub fn public_url(&self) -> &str {
        &self.0.app.settings.public_url
    }

    /// Whether browsers should only use https.
    pub fn is_public_https(&self) -> bool {
        self.public_url().starts_with("https://")
    }

    /// The value of `WWW-Authenticate`: both schemes that are understood.
    pub fn challenge(&self) -> String {
        format!(
            "{} realm=\"countersign\", Bearer realm=\"countersign\"",
            self.0.app.settings.auth_scheme
        )
    }

    /// Runs a use-case on a blocking thread.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        self.0.blocking.run(move || work(&app)).await
    }

    /// Looks up who is behind a request, for this network: past all use-cases.
    pub async fn look_up<T, F>(&self, network: ClientNetwork, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        let looked_up = self.0.look_ups.run(move || work(&app));
        answering(Requester::Stranger(network), looked_up).await
    }

    /// Runs a use-case that needs a document worker: it waits for its turn without a thread, and is not begun for a client
    /// that has hung up meanwhile.
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

    /// What is shown of a page.
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

    /// Asks how the process is: past all use-cases that wait.
    pub async fn health<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&App) -> Result<T, Error> + Send + 'static,
    {
        let app = Arc::clone(&self.0.app);
        self.0.health.run(move || work(&app)).await
    }

    /// Who starts documents by public links.
    pub fn visits(&self) -> &Visits {
        &self.0.visits
    }

    /// Test deliveries, which wait for somebody else's server.
    pub fn trials(&self) -> &Shares {
        &self.0.trials
    }

    /// Large bulk starts, each of which takes much memory while it is proved.
    pub fn bulks(&self) -> &Shares {
        &self.0.bulks
    }

    /// Whether a route's path is one that link tokens open: those who read its answers are signers and visitors.
    pub(crate) fn is_behind_links(&self, path: &str) -> bool {
        self.0.behind_links.contains(path)
    }

    /// Whose links are whose.
    pub(crate) fn link_owners(&self) -> &LinkOwners {
        &self.0.link_owners
    }

    /// A turn to sign in. A network has its share of them, and in it each company that exists; names that a caller makes up
    /// are one company.
    pub async fn turn_to_log_in(&self, address: IpAddr, company: &str) -> Result<Turn, Error> {
        let (network, company) = (ClientNetwork::of(address), company.to_owned());
        let company = self.look_up(network, move |app| app.company_named(&company)).await?;
        self.0.logins.turn(&Requester::SignIn { network, company }).await
    }
}
