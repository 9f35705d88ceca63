//! A time-stamp authority and a network for tests of seals.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::network::{Network, NetworkFault, SourceAddress, WebhookAnswer, WebhookTrial};
use app::{SealingSettings, TimeStampAuthority as Configured};
use document::pki::keys::{PrivateKey, certificates_to_pem};
use domain::{Clock, CompanyId, EventKind, WorkflowId};
use jiff::ToSpan;
use testkit::database::TestDatabase;
use testkit::operator::operator;
use testkit::revocation_data::certificates_only;
use testkit::time_stamp_authority::{Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::support::TestApp;
use crate::timestamps::before_the_last;
use crate::world::{World, act, given, origin};

pub const DAY: i64 = 24 * 60 * 60;

/// Calls the authority without a network. It can be cut off.
pub struct Wire {
    pub authority: TimeStampAuthority,
    pub clock: Arc<StandingClock>,
    pub is_cut: AtomicBool,
    /// Whether only timestamp requests are answered.
    pub is_mute: AtomicBool,
    /// Whether the responders for signers' certificates are unreachable.
    pub is_gone: AtomicBool,
    /// Number of bytes added to the list about signers' certificates.
    pub padding: AtomicUsize,
    /// Whether every source waits until its caller gives up.
    pub is_slow: AtomicBool,
    /// The time limits of the requests to slow sources.
    pub waited: Mutex<Vec<Duration>>,
    pub fetched: AtomicUsize,
    pub issuers_fetched: AtomicUsize,
}

impl Wire {
    pub fn answer(&self, url: &str, answer: impl FnOnce(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, NetworkFault> {
        let path = url.rsplit('/').next().unwrap_or_default();
        let is_silent = self.is_cut.load(Ordering::SeqCst) || (path != "tsa" && self.is_slow.load(Ordering::SeqCst));
        let found = answer(path).filter(|_| !is_silent);
        found.ok_or_else(|| NetworkFault {
            url: url.to_owned(),
            reason: "cut off".to_owned(),
        })
    }

    /// Acts as a slow host, which uses all the time it is given.
    pub fn keep_waiting(&self, within: Duration) {
        if self.is_slow.load(Ordering::SeqCst) {
            self.waited.lock().expect("no panic while locked").push(within);
            self.clock.wait(within);
        }
    }
}

impl Network for Wire {
    fn ask_authority(&self, authority: &Configured, request: Vec<u8>) -> Result<Vec<u8>, NetworkFault> {
        assert_eq!(authority.authorization.as_deref(), Some("Basic c2VhbA=="));
        self.answer(&authority.url, |path| {
            (path == "tsa").then(|| self.authority.answer(&request))
        })
    }

    fn fetch(&self, address: &SourceAddress, within: Duration) -> Result<Vec<u8>, NetworkFault> {
        assert!(within <= Duration::from_secs(30));
        self.fetched.fetch_add(1, Ordering::SeqCst);
        if address.as_str().contains("/issuer.") {
            self.issuers_fetched.fetch_add(1, Ordering::SeqCst);
        }
        self.keep_waiting(within);
        if self.is_mute.load(Ordering::SeqCst) {
            return self.answer(address.as_str(), |_| None);
        }
        self.answer(address.as_str(), |path| {
            let is_gone = self.is_gone.load(Ordering::SeqCst);
            match path {
                "root.crl" => Some(self.authority.revocation_list()),
                "signer.crl" if !is_gone => Some(match self.padding.load(Ordering::SeqCst) {
                    0 => self.authority.revocation_list(),
                    bytes => self.authority.large_revocation_list(bytes),
                }),
                "issuer.cer" => Some(self.authority.root()),
                // The collection may also contain another issuer's certificate.
                "issuer.p7c" => Some(certificates_only(&[
                    self.authority.certificate(),
                    self.authority.root(),
                ])),
                _ => None,
            }
        })
    }

    fn ask(
        &self,
        address: &SourceAddress,
        _media_type: &'static str,
        _question: Vec<u8>,
        within: Duration,
    ) -> Result<Vec<u8>, NetworkFault> {
        self.keep_waiting(within);
        self.answer(address.as_str(), |path| {
            (path == "ocsp").then(|| self.authority.ocsp_response())
        })
    }

    fn try_webhook(&self, trial: &WebhookTrial) -> Result<WebhookAnswer, NetworkFault> {
        self.answer(trial.url.as_str(), |_| None)
            .map(|start| WebhookAnswer { status: 200, start })
    }
}

/// Runs a test on both databases with a time-stamp authority whose certificate is valid for 400 days.
pub fn with_authority(change: impl Fn(&mut SealingSettings), test: impl Fn(&TestApp, &Wire)) {
    with_authority_asked_by(Revocation::List, change, test);
}

/// Runs a test with an authority whose own certificates use this kind of revocation.
pub fn with_authority_asked_by(
    revocation: Revocation,
    change: impl Fn(&mut SealingSettings),
    test: impl Fn(&TestApp, &Wire),
) {
    for database in [TestDatabase::sqlite(), TestDatabase::postgres()] {
        let clock = Arc::new(StandingClock::new());
        let ends = clock.now() + (400 * 24).hours();
        let authority = TimeStampAuthority::start(Arc::clone(&clock) as _, revocation, ends);
        let mut settings = SealingSettings {
            tsa: Some(Configured {
                url: authority.url(),
                policy: None,
                authorization: Some("Basic c2VhbA==".to_owned()),
            }),
            ..SealingSettings::default()
        };
        change(&mut settings);
        let wire = Arc::new(Wire {
            authority,
            clock: Arc::clone(&clock),
            is_cut: AtomicBool::new(false),
            is_mute: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            padding: AtomicUsize::new(0),
            is_slow: AtomicBool::new(false),
            waited: Mutex::default(),
            fetched: AtomicUsize::new(0),
            issuers_fetched: AtomicUsize::new(0),
        });
        let app = TestApp::sealing(database, clock, Arc::clone(&wire) as _, settings);
        test(&app, &wire);
    }
}

pub fn complete(world: &World<'_>) -> WorkflowId {
    let id = before_the_last(world);
    world
        .approve(id, act(vec![given("pay", "100")]))
        .expect("the last approval");
    id
}

pub fn files(world: &World<'_>, id: WorkflowId) -> [Vec<u8>; 2] {
    let document = world.app.document(&world.caller, id, &origin()).expect("the document");
    let certificate = world
        .app
        .certificate(&world.caller, id, &origin())
        .expect("the certificate");
    [document.bytes, certificate.bytes]
}

pub fn events(world: &World<'_>, id: WorkflowId) -> Vec<EventKind> {
    let company = world.company.clone();
    let entries = world
        .app
        .store
        .read(move |tx| store::audit::load(tx, &company, id))
        .expect("the chain");
    entries
        .iter()
        .filter_map(domain::Entry::event)
        .map(|event| event.event)
        .collect()
}

/// Imports a company's own key, in a file created by OpenSSL.
pub fn bring(app: &TestApp, company: &CompanyId, key: &PrivateKey, certificates: &[Vec<u8>]) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
    write("key.der", &key.to_pkcs8().expect("a key"));
    write("all.pem", certificates_to_pem(certificates).as_bytes());
    for arguments in [
        "pkcs8 -inform DER -in key.der -nocrypt -out key.pem",
        "pkcs12 -export -inkey key.pem -in all.pem -passout pass:geheim -out key.p12",
    ] {
        let output = std::process::Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .output()
            .expect("openssl runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let packed = std::fs::read(folder.path().join("key.p12")).expect("packed");
    app.import_seal_key(&operator(app, company), &packed, "geheim")
        .expect("taken");
}

/// Gives a company a seal certificate from the authority's root, which names its list. Returns the certificate.
pub fn with_own_certificate(app: &TestApp, wire: &Wire, company: &CompanyId) -> Vec<u8> {
    let ends = app.now() + (900 * 24).hours();
    let (key, certificate) = wire.authority.certify_signer(ends, Some("/signer.crl"), None);
    bring(app, company, &key, &[certificate.clone(), wire.authority.root()]);
    certificate
}

/// Larger than the limit for one file, and smaller than the limit for one fetch.
pub const TOO_LARGE: usize = 25 * 1024 * 1024;

pub const SMALL: usize = 2 * 1024 * 1024;
