//! The use-cases of Countersign: what people, programs and the operator may do, each in a file of its own.
//!
//! A use-case is a method of [`App`]: plain synchronous code that reads what it needs, decides with the rules of `domain`,
//! makes PDFs with `document`, and changes the database in one transaction. It blocks (on the disk, on a password's hash),
//! so the async world calls it on a thread for blocking work.
//!
//! * **Who asks** is a [`Caller`] (from [`App::authenticate`], [`App::session`]), the holder of a [`LinkToken`], or the
//!   operator at the command line. Every query carries the caller's company; what belongs to another is not found.
//! * **What may fail** is [`Error`], a closed list with a message for people in every language.
//! * **Time and chance** are parameters of the [`App`]; only the program and the tests choose them.
//! * **Secrets** at rest are encrypted by the [`Vault`]; tokens are kept as hashes; nothing secret has a `Debug` that
//!   shows it.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use blobs::Blobs;
use document::text::fonts::{FontFile, Fonts};
use domain::{Clock, Random};
use jiff::Timestamp;
use store::Store;

mod access_code;
mod access_token;
mod act;
pub mod addresses;
mod approve;
mod browser;
mod bulk;
mod bulk_sheet;
mod callback;
mod caller;
mod cancel;
mod certificate_content;
mod check;
mod checkpoints;
mod client;
mod code_guesses;
mod company;
mod company_look;
mod complete;
pub mod consent;
mod copied_link;
mod correct_recipient;
mod deep_stack;
mod discard;
mod documents;
mod draft;
mod drawing;
mod embedded_files;
mod erase_person;
mod error;
mod expire;
mod export;
mod export_history;
mod extend;
mod files;
mod foresight;
mod form_import;
mod found;
mod hand_over;
mod health;
mod hidden_links;
mod housekeeping;
pub mod installation;
pub mod intake_text;
mod kept_template;
pub mod key_tokens;
mod keyed_chain;
pub mod link_token;
mod listing;
mod login;
mod look;
pub mod mail;
mod mail_for_members;
pub mod mail_sample;
pub mod mail_template;
mod member;
pub mod network;
mod new_password;
mod next_document;
mod one_off;
mod one_time_code;
mod origin;
pub mod outbox;
mod outgoing;
mod page_cache;
mod page_part;
pub mod password;
mod pictures;
mod preview;
mod proofs;
mod public_link;
mod reach;
mod reject;
mod remind;
mod revocation_list;
mod seal_ends;
mod seal_key;
mod seal_mark;
mod seal_refusal;
mod seal_warnings;
pub mod sealing;
mod session;
mod settings;
mod signer_error;
mod signers_files;
mod signing_session;
mod start;
mod start_terms;
mod strangers_verdict;
pub mod template;
mod template_view;
#[cfg(test)]
mod testing;
mod text;
mod timestamps;
mod token;
mod transition;
mod upkeep;
mod uploads;
mod values;
pub mod vault;
mod verdict_words;
mod visitor;
mod webhook_secret;
mod workflow_fonts;
mod workflow_links;
mod workflow_view;
mod writer_meant;

pub use access_token::{AccessToken, TokenRow};
pub use act::ActRequest;
pub use bulk::{
    BulkAnswer, BulkChecked, BulkProgress, BulkRequest, BulkRow, BulkRows, BulkRowsRequest, BulkSettings, RowError,
    WrongRow,
};
pub use caller::{Caller, Channel};
pub use check::{AuditReport, FileFault, FsckReport};
pub use checkpoints::{CheckpointFault, CheckpointReport};
pub use client::{ClientRow, NewClient, SigningSecrets};
pub use company::{AddedCompany, CompanyChange, NewCompany, SealKeyDetails};
pub use company_look::{CompanyLook, shown_logo_size};
pub use correct_recipient::CorrectRequest;
pub use documents::{DocumentFault, StrangersDocuments};
pub use draft::{DraftChange, DraftSeen, DraftState, HeldField, LARGEST_DRAFT, SavedDraft};
pub use drawing::{Choice, Wish};
pub use erase_person::ErasedPerson;
pub use error::{ConflictCode, ERROR_IDS, Error, Fault, FaultCode, ForbiddenCode, Subject, ThrottleCode};
pub use export::{NextWriter, Payload as WebhookBody, WrittenField};
pub use export_history::{
    EndpointPaused, EndpointStarted, ExportDelivery, ExportEndpoint, ExportEndpoints, ExportList, ExportTry,
    ExportsRequest, ExportsResent, HistorySettings, WebhookTestRequest, WebhookTested, callback_address,
};
pub use extend::ExtendRequest;
pub use files::{FileContent, LinkedFile};
pub use housekeeping::Cleaned;
pub use link_token::{LinkPurpose, LinkToken};
pub use login::{LoggedIn, LoginAttempt, LoginRefusal, LoginSettings};
pub use look::{BoxLook, FieldLook};
pub use mail_template::{MailTemplates, MetFault, TemplateFault};
pub use member::{NewMember, NewPassword};
pub use network::TimeStampAuthority;
pub use next_document::NextDocument;
pub use one_off::OneOff;
pub use origin::Origin;
pub use page_part::{PageAnswer, PagePart, PartToMake};
pub use preview::PreviewView;
pub use public_link::{LinkInvitation, LinkLeads, LinkVisitor, NewPublicLink, PublicLinkList, PublicLinkView};
pub use reach::GatewayReach;
pub use seal_ends::SealEnd;
pub use seal_key::SealKeyFault;
pub use seal_refusal::{SealCode, SealRefusal};
pub use sealing::{AskedAuthority, ProofLack, Sealed, SealingSettings};
pub use session::{MemberSession, SignInForm, SignedIn};
pub use settings::Settings;
pub use signer_error::SignerError;
pub use signers_files::{CodeQuestion, asks_for_code};
pub use signing_session::{FieldView, GivenBack, Signed, SigningKey, SigningRecipient, SigningView, Stage};
pub use start::{
    Idempotency, StartCopy, StartExport, StartFieldName, StartRecipient, StartRequest, Started, StartedWorkflow,
};
pub use template::{
    ImportTemplate, ImportedTemplate, TemplateDetails, TemplateFields, TemplateFilter, TemplateSummary, page_images,
};
pub use template_view::{
    ArchivedTemplate, ListTemplatesRequest, SavedTemplate, TemplateLine, TemplateList, TemplatePlace, TemplateView,
};
pub use transition::Advanced;
pub use uploads::{FreeSpace, Space};
pub use values::GivenField;
pub use vault::{Purpose, Vault, VaultError};
pub use verdict_words::{Fact, Outcome, SignatureWords, Standing, VerdictWords, verdict_words};
pub use webhook_secret::WebhookSecret;
pub use workflow_links::{LinksRequest, WorkflowLinks};
pub use workflow_view::{
    CopyView, FoundWorkflow, FoundWorkflows, HistoryEntry, ListRequest, MessageView, SearchRequest, StepView,
    WorkflowList, WorkflowSummary, WorkflowView,
};

/// Everything that a use-case works with. Share it as `Arc<App>`.
pub struct App {
    /// The database.
    pub store: Store,
    /// The files.
    pub blobs: Blobs,
    /// Reads strangers' PDFs.
    pub documents: Arc<dyn StrangersDocuments>,
    /// Tells how much room the disks have.
    pub space: Arc<dyn FreeSpace>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives chance.
    pub random: Arc<dyn Random>,
    /// Reaches time-stamp authorities and the like.
    pub network: Arc<dyn network::Network>,
    /// Finds seal keys in tokens.
    pub tokens: Arc<dyn key_tokens::KeyTokens>,
    /// Keeps secrets.
    pub vault: Vault,
    /// What the operator chose.
    pub settings: Settings,
    /// Rung after a commit that left something in the outbox.
    pub bell: outbox::OutboxBell,
    fonts: OnceLock<Arc<Fonts>>,
    passwords: password::Passwords,
    counting_failures: Mutex<()>,
    last_health: health::LastHealth,
    seal_keys: seal_key::SealKeys,
    kept_proofs: proofs::KeptProofs,
    kept_templates: kept_template::KeptTemplates,
    proved_templates: foresight::ProvedTemplates,
    outgoing: Arc<outgoing::Outgoing>,
    kept_fonts: workflow_fonts::KeptFonts,
    pages: page_cache::PageCache,
}

/// What an [`App`] is made of.
pub struct Parts {
    /// The database, migrated.
    pub store: Store,
    /// The files.
    pub blobs: Blobs,
    /// Reads strangers' PDFs.
    pub documents: Arc<dyn StrangersDocuments>,
    /// Tells how much room the disks have.
    pub space: Arc<dyn FreeSpace>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives chance.
    pub random: Arc<dyn Random>,
    /// Reaches time-stamp authorities and the like.
    pub network: Arc<dyn network::Network>,
    /// Finds seal keys in tokens.
    pub tokens: Arc<dyn key_tokens::KeyTokens>,
    /// Keeps secrets.
    pub vault: Vault,
    /// What the operator chose.
    pub settings: Settings,
}

impl App {
    /// Puts the parts together. Does no work of its own: fonts are loaded when they are first needed.
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
        let passwords = password::Passwords::new(settings.login.concurrent_hashes, random.as_ref());
        let pages = page_cache::PageCache::new(settings.page_cache);
        let outgoing = outgoing::Outgoing::new(
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
            bell: outbox::OutboxBell::default(),
            fonts: OnceLock::new(),
            passwords,
            counting_failures: Mutex::default(),
            last_health: health::LastHealth::default(),
            seal_keys: seal_key::SealKeys::default(),
            kept_proofs: proofs::KeptProofs::default(),
            kept_templates: kept_template::KeptTemplates::default(),
            proved_templates: foresight::ProvedTemplates::default(),
            outgoing: Arc::new(outgoing),
            kept_fonts: workflow_fonts::KeptFonts::default(),
            pages,
        }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// How many password hashes were computed since the start: what a login costs, whoever tries it.
    pub fn computed_password_hashes(&self) -> u64 {
        self.passwords.computed()
    }

    /// The fonts of this moment; the first call loads them. A workflow has those of its start.
    pub fn fonts(&self) -> Result<Arc<Fonts>, Error> {
        if let Some(fonts) = self.fonts.get() {
            return Ok(Arc::clone(fonts));
        }
        let added = match &self.settings.fonts_folder {
            Some(folder) => {
                font_files(folder).map_err(|error| Error::internal("reading the folder of fonts", error))?
            }
            None => Vec::new(),
        };
        let loaded = Fonts::with_added(added).map_err(|error| Error::internal("loading the fonts", error))?;
        Ok(Arc::clone(self.fonts.get_or_init(|| Arc::new(loaded))))
    }
}

/// The font files of a folder, by their names: the order in which they are asked.
fn font_files(folder: &Path) -> std::io::Result<Vec<FontFile>> {
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
    paths
        .into_iter()
        .map(|path| {
            Ok(FontFile {
                bytes: std::fs::read(&path)?,
                name: path.display().to_string(),
            })
        })
        .collect()
}
