//! The use cases of Countersign: the actions of people, programs and the operator, each in its own file.
//!
//! A use case is a method of [`App`]. It is plain synchronous code that reads what it needs, decides with the rules of
//! `domain`, creates PDFs with `document`, and changes the database in one transaction. It blocks (on the disk, or on
//! password hashing), so async code calls it on a thread for blocking work.
//!
//! * **The caller** is an [`Actor`]: a member (from [`App::authenticate`], [`App::session`]) or the operator at the
//!   command
//!   line ([`App::operator`]). Each use case first checks the actor's permissions. Other callers act as the holder of a
//!   [`LinkToken`] or as a job. Every query is limited to the company, so data of other companies is not found.
//! * **Failures** are an [`Error`], a closed list with a message for people in every language.
//! * **Time and randomness** are parameters of the [`App`], chosen only by the program and the tests.
//! * **Secrets** at rest are encrypted by the [`Vault`], and tokens are stored as hashes. No secret has a `Debug` that
//!   shows
//!   it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use blobs::Blobs;
use document::text::fonts::{FontFile, Fonts};
use document::text::sound_font::prove_font;
use domain::{Clock, Random};
use jiff::Timestamp;
use store::Store;

mod base;
mod companies;
mod evidence;
mod links;
mod outbox;
mod sealing;
mod sending;
mod signing;
mod templates;
mod upkeep;
mod values;
mod workflow;

pub use base::actor::Actor;
pub use base::audit_log::Action;
pub use base::caller::{Caller, Channel};
pub use base::documents::{DocumentFault, StrangersDocuments};
pub use base::error::{ConflictCode, ERROR_IDS, Error, Fault, FaultCode, ForbiddenCode, Subject, ThrottleCode};
pub use base::field_labels::{FieldWarning, shown_names};
pub use base::network::TimeStampAuthority;
pub use base::origin::Origin;
pub use base::seal_refusal::{SealCode, SealRefusal};
pub use base::signer_error::SignerError;
pub use base::uploads::{FreeSpace, Space};
pub use base::vault::{Purpose, Vault, VaultError};
pub use base::verdict_words::{Fact, Outcome, SignatureWords, Standing, VerdictWords, verdict_words};
pub use base::webhook_secret::WebhookSecret;
pub use base::{consent, installation, intake_text, key_tokens, network, vault};
pub use companies::access_token::{AccessToken, TokenRow};
pub use companies::client::{ClientRow, NewClient, SigningSecrets};
pub use companies::company::{AddedCompany, CompanyChange, NewCompany, SealKeyDetails};
pub use companies::company_look::{CompanyLook, shown_logo_size};
pub use companies::first_run::FirstRun;
pub use companies::login::{LoggedIn, LoginAttempt, LoginRefusal, LoginSettings};
pub use companies::member::{NewMember, NewPassword};
pub use companies::password;
pub use companies::session::{MemberSession, SignInForm, SignedIn};
pub use evidence::attached_chain::{AttachedChain, belong_together, chain_fault};
pub use evidence::checkpoints::{CheckpointFault, CheckpointReport};
pub use evidence::erase_person::ErasedPerson;
pub use links::link_token::{LinkPurpose, LinkToken};
pub use links::{addresses, link_token};
pub use outbox::mail_template::{MailTemplates, MetFault, TemplateFault};
pub use outbox::messages::{MOST_COUNTED, OutboxMessage, OutboxPage, Told, Undelivered, new_event_id};
pub use outbox::reach::GatewayReach;
pub use outbox::webhook::{NextWriter, Payload as WebhookBody, WrittenField};
pub use outbox::webhook_history::{
    EndpointPaused, EndpointStarted, ExportDelivery, ExportEndpoint, ExportEndpoints, ExportList, ExportTry,
    ExportsRequest, ExportsResent, HistorySettings, WebhookTestRequest, WebhookTested, callback_address,
};
pub use outbox::{mail, mail_sample, mail_template};
pub use sealing::seal::{AskedAuthority, ProofLack, Sealed, SealingSettings};
pub use sealing::seal_ends::SealEnd;
pub use sealing::seal_key::SealKeyFault;
pub use sending::bulk::{
    BulkAnswer, BulkChecked, BulkProgress, BulkRequest, BulkRow, BulkRows, BulkRowsRequest, BulkSettings, RowError,
    WrongRow,
};
pub use sending::one_off::OneOff;
pub use sending::public_link::{LinkInvitation, LinkLeads, LinkVisitor, NewPublicLink, PublicLinkList, PublicLinkView};
pub use sending::start::{
    Idempotency, StartCopy, StartExport, StartFieldName, StartRecipient, StartRequest, Started, StartedWorkflow,
};
pub use signing::draft::{DraftChange, DraftSeen, DraftState, HeldField, LARGEST_DRAFT, SavedDraft};
pub use signing::drawing::{Choice, Wish};
pub use signing::files::{FileContent, LinkedFile};
pub use signing::next_document::NextDocument;
pub use signing::page::{FieldView, GivenBack, SigningRecipient, SigningView};
pub use signing::preview::PreviewView;
pub use signing::session::{SigningKey, Stage};
pub use signing::signed::Signed;
pub use signing::signers_files::{CodeQuestion, asks_for_code};
pub use templates::page_part::{PageAnswer, PagePart, PartToMake};
pub use templates::template;
pub use templates::template::{
    ImportTemplate, ImportedTemplate, TemplateDetails, TemplateFields, TemplateFilter, TemplateSummary, page_images,
};
pub use templates::template_view::{
    ArchivedTemplate, ListTemplatesRequest, SavedTemplate, TemplateLine, TemplateList, TemplatePlace, TemplateView,
};
pub use upkeep::check::{AuditReport, FileFault, FsckReport};
pub use upkeep::health::{Check, Readiness, is_clock_behind};
pub use upkeep::housekeeping::Cleaned;
pub use upkeep::settings::Settings;
pub use upkeep::waiting::CertificateEnd;
pub use values::look::{BoxLook, FieldLook};
pub use values::value::GivenField;
pub use workflow::act::ActRequest;
pub use workflow::correct_recipient::CorrectRequest;
pub use workflow::document_detail::{DetailedEvent, DetailedSigner, DocumentDetail};
pub use workflow::document_list::{DocumentPage, DocumentRow, DocumentTab};
pub use workflow::extend::ExtendRequest;
pub use workflow::transition::Advanced;
pub use workflow::workflow_links::{LinksRequest, WorkflowLinks};
pub use workflow::workflow_view::{
    CopyView, FoundWorkflow, FoundWorkflows, HistoryEntry, ListRequest, MessageView, SearchRequest, StepView,
    WorkflowList, WorkflowSummary, WorkflowView,
};

/// Everything that use cases work with. Share it as `Arc<App>`.
pub struct App {
    pub store: Store,
    /// The file store.
    pub blobs: Blobs,
    /// Reads strangers' PDFs.
    pub documents: Arc<dyn StrangersDocuments>,
    /// Reports the free space of the disks.
    pub space: Arc<dyn FreeSpace>,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    /// Reaches time-stamp authorities and other hosts.
    pub network: Arc<dyn base::network::Network>,
    /// Finds seal keys in tokens.
    pub tokens: Arc<dyn base::key_tokens::KeyTokens>,
    /// Encrypts secrets.
    pub vault: Vault,
    /// The operator's settings.
    pub settings: Settings,
    /// Wakes the outbox after a commit that added messages.
    pub bell: outbox::messages::OutboxBell,
    fonts: OnceLock<Arc<Fonts>>,
    passwords: companies::password::Passwords,
    counting_failures: Mutex<()>,
    last_health: upkeep::health::LastHealth,
    seal_keys: sealing::seal_key::SealKeys,
    kept_proofs: sealing::proofs::KeptProofs,
    kept_templates: templates::kept_template::KeptTemplates,
    proved_templates: templates::foresight::ProvedTemplates,
    outgoing: Arc<outbox::outgoing::Outgoing>,
    kept_fonts: sealing::workflow_fonts::KeptFonts,
    pages: templates::page_cache::PageCache,
}

pub struct Parts {
    /// The database, migrated.
    pub store: Store,
    /// The file store.
    pub blobs: Blobs,
    /// Reads strangers' PDFs.
    pub documents: Arc<dyn StrangersDocuments>,
    /// Reports the free space of the disks.
    pub space: Arc<dyn FreeSpace>,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    /// Reaches time-stamp authorities and other hosts.
    pub network: Arc<dyn base::network::Network>,
    /// Finds seal keys in tokens.
    pub tokens: Arc<dyn base::key_tokens::KeyTokens>,
    /// Encrypts secrets.
    pub vault: Vault,
    /// The operator's settings.
    pub settings: Settings,
}

impl App {
    /// Assembles the parts. Does no other work: fonts are loaded when they are first needed.
    pub fn new(parts: Parts) -> App {
        let Parts {
            store,
            blobs,
            documents,
            space,
            clock,
            random,
            network,
            tokens,
            vault,
            settings,
        } = parts;
        let passwords = companies::password::Passwords::new(settings.login.concurrent_hashes, random.as_ref());
        let pages = templates::page_cache::PageCache::new(settings.page_cache);
        let outgoing = outbox::outgoing::Outgoing::new(
            vault.clone(),
            Arc::clone(&random),
            settings.public_url.clone(),
            Arc::clone(&settings.mail_templates),
            Arc::clone(&settings.gateways),
        );
        App {
            store,
            blobs,
            documents,
            space,
            clock,
            random,
            network,
            tokens,
            vault,
            settings,
            bell: outbox::messages::OutboxBell::default(),
            fonts: OnceLock::new(),
            passwords,
            counting_failures: Mutex::default(),
            last_health: upkeep::health::LastHealth::default(),
            seal_keys: sealing::seal_key::SealKeys::default(),
            kept_proofs: sealing::proofs::KeptProofs::default(),
            kept_templates: templates::kept_template::KeptTemplates::default(),
            proved_templates: templates::foresight::ProvedTemplates::default(),
            outgoing: Arc::new(outgoing),
            kept_fonts: sealing::workflow_fonts::KeptFonts::default(),
            pages,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Number of password hashes computed since the start, from successful and failed logins.
    pub fn computed_password_hashes(&self) -> u64 {
        self.passwords.computed()
    }

    /// Returns the current fonts, which the first call loads. A workflow uses the fonts from its start.
    pub fn fonts(&self) -> Result<Arc<Fonts>, Error> {
        if let Some(fonts) = self.fonts.get() {
            return Ok(Arc::clone(fonts));
        }
        let loaded = load_fonts(self.settings.fonts_folder.as_deref())?;
        Ok(Arc::clone(self.fonts.get_or_init(|| Arc::new(loaded))))
    }
}

/// Loads the built-in fonts and those from the operator's folder. Fails if any of them is not readable.
pub fn load_fonts(folder: Option<&Path>) -> Result<Fonts, Error> {
    let added = match folder {
        Some(folder) => font_files(folder).map_err(|error| Error::internal("reading the fonts folder", error))?,
        None => Vec::new(),
    };
    for font in &added {
        prove_font(font).map_err(|error| Error::internal("proving the fonts", error))?;
    }
    Fonts::with_added(added).map_err(|error| Error::internal("loading the fonts", error))
}

/// Returns the font files of a folder, sorted by name. Glyphs are looked up in this order.
pub fn font_paths(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| {
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        ["ttf", "otf", "ttc", "otc"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    paths.sort();
    Ok(paths)
}

fn font_files(folder: &Path) -> std::io::Result<Vec<FontFile>> {
    font_paths(folder)?
        .into_iter()
        .map(|path| {
            Ok(FontFile {
                bytes: std::fs::read(&path)?,
                name: path.display().to_string(),
            })
        })
        .collect()
}
