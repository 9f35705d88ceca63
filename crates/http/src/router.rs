//! The table of routes, and the frame around them.
//!
//! A route cannot be registered without saying who may call it ([`Authority`]), and the frame
//! itself holds callers to it: a handler of an `AccessToken` route runs only after the token was
//! found good and the role sufficient, and finds the [`Caller`] in [`Authenticated`]. A test walks
//! the table and asks every route without a token, with a bad one, and with another company's ids.
//!
//! Around all routes: a panic is a failed request (500, logged), and a failure is written in the
//! language of its reader ([`crate::problem`]).

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;

use app::{App, Caller, Error, ForbiddenCode, PageAnswer, PagePart, Subject, ThrottleCode};
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::handler::Handler;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use domain::turns::Bounds;
use domain::{ClientNetwork, Requester};
use jiff::Timestamp;
use tower_http::catch_panic::CatchPanicLayer;

use crate::blocking::{Blocking, answering, requester};
use crate::bodies::{self, Places, Turns};
use crate::client_address::Network;
use crate::pages::ending::{About, Ending};
use crate::pages::request::PageRequest;
use crate::problem::{CompanyLanguage, Failure, speak};
use crate::rate::Rate;
use crate::requesters::{LinkOwners, network_of};
use crate::shares::{Shares, Turn};
use crate::{api, ignored_members, pages, security_headers};

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

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// Everybody.
    Public,
    /// The bearer of an access token whose role allows it. The frame enforces it.
    AccessToken(Access),
    /// Whoever holds a link token; the handler reads it from the address.
    LinkToken,
    /// A member signed in on the pages; the handler reads the cookie. The frame refuses what another site's page sends.
    Session,
}

/// What a member's role must allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Every member, auditors too.
    Read,
    /// Members who send documents: owner, admin, sender.
    Send,
}

/// One route: who may do what, where.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub authority: Authority,
    takes_files: bool,
    handler: MethodRouter<Http>,
}

impl Route {
    /// People send files to it: however small, each needs one of the places for large bodies.
    #[must_use]
    pub fn taking_files(self) -> Self {
        Self {
            takes_files: true,
            ..self
        }
    }
}

/// Declares a route. Methods are the standard ones; another is a mistake that the table's test finds.
pub fn route<H, T>(method: Method, path: &'static str, authority: Authority, handler: H) -> Route
where
    H: Handler<T, Http>,
    T: 'static,
{
    let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::TRACE);
    Route {
        method,
        path,
        authority,
        takes_files: false,
        handler: on(filter, handler),
    }
}

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
    /// The web side of `app`.
    pub fn new(app: Arc<App>, settings: HttpSettings) -> Self {
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
            behind_links: routes()
                .iter()
                .filter(|route| route.authority == Authority::LinkToken)
                .map(|route| route.path)
                .collect(),
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

/// Every route of the service.
pub fn routes() -> Vec<Route> {
    let mut all = api::routes();
    all.extend(pages::routes());
    all
}

/// The service as axum runs it. Serve it with connection info, so that client addresses are known.
pub fn router(app: Arc<App>, settings: HttpSettings) -> Router {
    let http = Http::new(app, settings);
    let mut router = Router::new();
    let places = Places::default();
    for route in routes() {
        let turns = Turns {
            http: http.clone(),
            authority: route.authority,
            takes_files: route.takes_files,
            places: places.clone(),
        };
        let in_turn = middleware::from_fn_with_state(turns, bodies::in_turn);
        let handler = route.handler.route_layer(in_turn);
        let takes = api::openapi::takes(&route.method, route.path).map(Arc::new);
        let handler = handler.route_layer(middleware::from_fn_with_state(takes, ignored_members::tell));
        // The layer added last is the first that a request meets.
        let handler = match route.authority {
            Authority::AccessToken(access) => {
                handler.route_layer(middleware::from_fn_with_state((http.clone(), access), authenticate))
            }
            Authority::Session if !route.method.is_safe() => {
                handler.route_layer(middleware::from_fn_with_state(http.clone(), from_our_pages))
            }
            Authority::Public | Authority::LinkToken | Authority::Session => handler,
        };
        router = router.route(route.path, handler);
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        // Each handler that reads a body reads it with its own limit.
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(|_| {
            Failure::App(Error::internal("answering a request", "a panic, logged above")).into_response()
        }))
        .layer(middleware::from_fn_with_state(http.clone(), speak))
        .layer(middleware::from_fn(bodies::discarding))
        .layer(middleware::from_fn_with_state(http.clone(), security_headers::every))
        .with_state(http)
}

/// A problem for programs, a page for people.
async fn unknown_path(page: PageRequest) -> Response {
    let error = Error::NotFound(Subject::Endpoint);
    if page.path.starts_with("/api/") {
        Failure::App(error).into_response()
    } else {
        page.fail(&error, page.language())
    }
}

/// The member who calls, of an `AccessToken` route.
#[derive(Debug, Clone)]
pub struct Authenticated(pub Caller);

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(Failure::App(Error::Unauthenticated))
    }
}

async fn authenticate(
    State((http, access)): State<(Http, Access)>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let token = bearer(request.headers(), &http.0.app.settings.auth_scheme)
        .ok_or(Error::Unauthenticated)?
        .to_owned();
    let (mut parts, body) = request.into_parts();
    let network = network_of(&http, &mut parts).await;
    let caller = http.look_up(network, move |app| app.authenticate(&token)).await?;
    let language = CompanyLanguage(caller.language);
    let allowed = match access {
        Access::Read => true,
        Access::Send => caller.role.may_send(),
    };
    let mut response = if allowed {
        parts.extensions.insert(Authenticated(caller));
        next.run(Request::from_parts(parts, body)).await
    } else {
        Failure::App(Error::Forbidden(ForbiddenCode::Role)).into_response()
    };
    response.extensions_mut().insert(language);
    Ok(response)
}

/// A request that changes something with a member's cookie comes from one of our own pages.
async fn from_our_pages(page: PageRequest, request: Request, next: Next) -> Response {
    if page.is_from_elsewhere() {
        return page.end(Ending::Forbidden, page.language(), &About::default());
    }
    next.run(request).await
}

/// The access token of an `Authorization` header: the service's scheme word or `Bearer`, in any
/// case (RFC 9110 11.1).
fn bearer<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim();
    let (word, token) = value.split_once([' ', '\t'])?;
    (word.eq_ignore_ascii_case(scheme) || word.eq_ignore_ascii_case("bearer")).then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scheme_words_in_any_case() {
        for (value, expected) in [
            ("service abc", Some("abc")),
            ("SERVICE abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Bearer abc", Some("abc")),
            ("Basic abc", None),
            ("serviceabc", None),
            ("service", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().expect("a header value"));
            assert_eq!(bearer(&headers, "service"), expected, "{value:?}");
        }
        assert_eq!(bearer(&HeaderMap::new(), "service"), None);
    }

    #[test]
    fn every_route_is_declared_once_with_a_method_that_exists() {
        let mut seen = std::collections::BTreeSet::new();
        for route in routes() {
            assert!(
                seen.insert((route.method.to_string(), route.path)),
                "{} {}",
                route.method,
                route.path
            );
            assert!(MethodFilter::try_from(route.method.clone()).is_ok(), "{}", route.method);
            assert_ne!(route.method, Method::TRACE);
        }
    }
}
