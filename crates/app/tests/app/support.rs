//! An application with a fixed clock and its own database, for tests.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use app::network::Network;
use app::{
    App, CompanyChange, DocumentFault, DraftSeen, Error, FieldLook, FreeSpace, LoginAttempt, NewCompany, NewMember,
    Origin, Parts, SavedDraft, SealingSettings, Settings, Signed, SigningKey, Space, StrangersDocuments, Vault,
};
use blobs::Blobs;
use document::intake::{self, Intake, Limits, Wishes};
use document::marks::checked_picture::{self, CheckedPicture, PictureWish};
use document::pages::render;
use document::pages::text_layer::{self, PageText};
use document::pki::keys::KeyKind;
use document::verify::{self, Means, Verdict};
use domain::{Clock, CompanyId, Random, Requester, Role};
use jiff::Timestamp;
use sheets::{Sheet, SheetLimits};
use tempfile::TempDir;
use testkit::database::TestDatabase;
use testkit::operator::operator;
use testkit::stand_ins::NoNetwork;
use testkit::world::{CountingRandom, StandingClock};

pub const PASSWORD: &str = "plover lantern quay 47";

/// An application with the parts it depends on.
pub struct TestApp {
    pub app: Arc<App>,
    pub clock: Arc<StandingClock>,
    pub database: TestDatabase,
    pub files: TempDir,
    pub documents: Arc<InProcess>,
    pub disk: Arc<Disk>,
    random: Arc<dyn Random>,
}

impl std::ops::Deref for TestApp {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

/// Returns all text of a PDF as read by poppler, without blanks because lines may break anywhere.
pub fn text_of(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file.pdf");
    std::fs::write(&file, pdf).expect("written");
    let read = std::process::Command::new("pdftotext")
        .args(["-enc", "UTF-8"])
        .arg(&file)
        .arg("-")
        .output()
        .expect("pdftotext can be run; script/bootstrap --tests installs it");
    let text = String::from_utf8_lossy(&read.stdout).into_owned();
    text.split_whitespace().collect()
}

/// Runs a test on SQLite and on PostgreSQL.
pub fn on_both(test: impl Fn(&TestApp)) {
    for database in [TestDatabase::sqlite(), TestDatabase::postgres()] {
        test(&TestApp::new(database));
    }
}

impl TestApp {
    pub fn new(database: TestDatabase) -> TestApp {
        let clock = Arc::new(StandingClock::new());
        TestApp::sealing(database, clock, Arc::new(NoNetwork), SealingSettings::default())
    }

    /// Creates an application with this network and these sealing settings.
    pub fn sealing(
        database: TestDatabase,
        clock: Arc<StandingClock>,
        network: Arc<dyn Network>,
        sealing: SealingSettings,
    ) -> TestApp {
        let files = tempfile::tempdir().expect("a temporary folder");
        let store = database.open();
        let random: Arc<dyn Random> = Arc::new(CountingRandom::default());
        let vault = Vault::new(&[3; 32], Arc::clone(&random));
        app::installation::set_up(&store, &vault, clock.as_ref()).expect("the installation is set up");
        let (documents, disk) = (Arc::new(InProcess::default()), Arc::new(Disk::default()));
        let app = App::new(Parts {
            store,
            blobs: Blobs::local(files.path()).expect("a folder for files"),
            documents: Arc::clone(&documents) as Arc<dyn StrangersDocuments>,
            space: Arc::clone(&disk) as Arc<dyn FreeSpace>,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            random: Arc::clone(&random),
            network,
            tokens: Arc::new(app::key_tokens::NoTokens),
            vault,
            settings: Settings {
                sealing,
                codes_to: vec!["+82".to_owned()],
                ..Settings::default()
            },
        });
        TestApp {
            app: Arc::new(app),
            clock,
            database,
            files,
            documents,
            disk,
            random,
        }
    }

    /// Restarts the same installation with the current fonts of this folder.
    pub fn restarted(self, fonts_folder: Option<std::path::PathBuf>) -> TestApp {
        let random = Arc::clone(&self.random);
        let app = App::new(Parts {
            store: self.database.open(),
            blobs: Blobs::local(self.files.path()).expect("a folder for files"),
            documents: Arc::clone(&self.documents) as Arc<dyn StrangersDocuments>,
            space: Arc::clone(&self.disk) as Arc<dyn FreeSpace>,
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            vault: Vault::new(&[3; 32], Arc::clone(&random)),
            random,
            network: Arc::new(NoNetwork),
            tokens: Arc::new(app::key_tokens::NoTokens),
            settings: Settings {
                fonts_folder,
                ..Settings::default()
            },
        });
        TestApp {
            app: Arc::new(app),
            ..self
        }
    }

    /// Creates a company with this ID and an owner.
    pub fn with_company(&self, id: &str) -> CompanyId {
        let added = self
            .add_company(&NewCompany {
                id: id.to_owned(),
                name: format!("{id} 주식회사"),
                key: KeyKind::default(),
                settings: CompanyChange::default(),
            })
            .expect("a company");
        self.with_member(&added.company.id, "owner@example.com", Role::Owner);
        added.company.id
    }

    /// Fills in fields as a page that knows of no other page. Returns their appearance.
    pub fn fill_in(&self, key: &SigningKey, texts: &BTreeMap<String, String>) -> Result<Vec<FieldLook>, Error> {
        let saved = self.save_draft(key, &DraftSeen::default(), texts)?;
        Ok(saved.looks)
    }

    pub fn attach(
        &self,
        key: &SigningKey,
        field: &str,
        name: Option<&str>,
        bytes: Vec<u8>,
    ) -> Result<SavedDraft, Error> {
        self.upload_file(key, &DraftSeen::default(), field, name, bytes)
    }

    /// Approves the entries that the page currently shows.
    pub fn approve_shown(
        &self,
        key: &SigningKey,
        texts: &BTreeMap<String, String>,
        comment: Option<&str>,
        origin: &Origin,
    ) -> Result<Signed, Error> {
        let revision = self.open_signing(key).map_or(0, |view| view.draft.revision);
        self.approve_by_link(key, revision, texts, comment, origin)
    }

    pub fn with_member(&self, company: &CompanyId, email: &str, role: Role) {
        let password = Some(PASSWORD.to_owned());
        let new = NewMember {
            email: email.to_owned(),
            name: None,
            role,
            password,
        };
        self.add_member(&operator(self, company), new).expect("a member");
    }
}

pub fn attempt(company: &str, email: &str, password: &str) -> LoginAttempt {
    LoginAttempt {
        company: company.to_owned(),
        email: email.to_owned(),
        password: password.to_owned(),
        address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    }
}

/// Processes documents in this process, which is safe because the tests created them.
#[derive(Debug, Default)]
pub struct InProcess {
    made: AtomicUsize,
    before_pages: Before,
}

/// An action that runs before pages are shown. If it fails, the pages are not shown.
#[derive(Default)]
struct Before(Mutex<Option<BeforePages>>);

type BeforePages = Box<dyn Fn() -> Result<(), DocumentFault> + Send>;

impl std::fmt::Debug for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Before")
    }
}

impl InProcess {
    /// Sets an action that runs each time before pages are shown.
    pub fn before_pages(&self, act: impl Fn() -> Result<(), DocumentFault> + Send + 'static) {
        *self.before_pages.0.lock().expect("no panic while locked") = Some(Box::new(act));
    }

    /// Number of pictures decoded.
    pub fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

/// A disk of a hundred bytes, half of which are free by default.
#[derive(Debug)]
pub struct Disk(AtomicU64);

impl Default for Disk {
    fn default() -> Disk {
        Disk(AtomicU64::new(50))
    }
}

impl Disk {
    pub fn leave_free(&self, free: u64) {
        self.0.store(free, Ordering::SeqCst);
    }
}

impl FreeSpace for Disk {
    fn spaces(&self) -> Vec<Space> {
        vec![Space {
            place: "/data".to_owned(),
            free: self.0.load(Ordering::SeqCst),
            total: 100,
        }]
    }
}

impl StrangersDocuments for InProcess {
    fn inspect_as(&self, _: &Requester, pdf: &[u8], wishes: &Wishes) -> Result<Intake, DocumentFault> {
        Ok(intake::inspect_as(pdf, &Limits::default(), wishes)?)
    }

    fn page_images(
        &self,
        _: &Requester,
        pdf: &[u8],
        pages: &[u32],
        dots_per_inch: f32,
    ) -> Result<Vec<Vec<u8>>, DocumentFault> {
        if let Some(act) = &*self.before_pages.0.lock().expect("no panic while locked") {
            act()?;
        }
        Ok(render::page_images(pdf, pages, dots_per_inch)?)
    }

    fn page_texts(&self, _: &Requester, pdf: &[u8], pages: &[u32]) -> Result<Vec<PageText>, DocumentFault> {
        Ok(text_layer::page_texts(pdf, pages)?)
    }

    fn verify(&self, _: &Requester, pdf: &[u8], means: &Means, at: Timestamp) -> Result<Verdict, DocumentFault> {
        Ok(verify::verify_with(pdf, means, at))
    }

    fn sheet(&self, _: &Requester, file: &[u8], limits: &SheetLimits) -> Result<Sheet, DocumentFault> {
        Ok(sheets::read(file, limits)?)
    }

    fn picture(&self, _: &Requester, file: &[u8], wish: &PictureWish) -> Result<CheckedPicture, DocumentFault> {
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(checked_picture::check(file, wish)?)
    }
}
