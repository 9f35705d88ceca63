//! What the operator chose for the whole installation, as the use-cases need it.
//!
//! The program reads these from its configuration; what a company chooses for itself is in its row of the database.

use std::path::PathBuf;
use std::sync::Arc;

use domain::public_address::AddressRules;
use store::public_link::UseBounds;

use crate::companies::login::LoginSettings;
use crate::outbox::mail_template::MailTemplates;
use crate::outbox::reach::GatewayReach;
use crate::outbox::webhook_history::HistorySettings;
use crate::sealing::seal::SealingSettings;
use crate::sending::bulk::BulkSettings;

/// The installation's settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Addresses in answers begin with this: scheme, host, port, perhaps a path; no slash at the end.
    pub public_url: String,
    /// The scheme word of the Authorization header, besides `Bearer`.
    pub auth_scheme: String,
    /// Which callback addresses are accepted.
    pub webhook: AddressRules,
    /// How much of the Export API's history each company keeps.
    pub history: HistorySettings,
    /// How large one bulk send may be.
    pub bulk: BulkSettings,
    /// How often public links may be used within an hour.
    pub public_links: UseBounds,
    /// The limits on wrong credentials.
    pub login: LoginSettings,
    /// How long a member stays signed in on the pages, in seconds.
    pub session_seconds: i64,
    /// How long a session may be idle, in seconds.
    pub session_idle_seconds: i64,
    /// The largest PDF that is accepted, in bytes.
    pub largest_document: u64,
    /// The memory limit for cached pictures and texts of pages, in bytes.
    pub page_cache: u64,
    /// The least free disk space in percent. Below it, no new files and documents are accepted. 0 turns the check off.
    pub least_free_percent: u64,
    /// A folder with more fonts, used after the built-in ones.
    pub fonts_folder: Option<PathBuf>,
    /// How documents are sealed.
    pub sealing: SealingSettings,
    /// Prefixes of telephone numbers that messengers can send one-time codes to: `+82`. Empty without a messenger.
    pub codes_to: Vec<String>,
    /// The gateways that messages go through, in the order in which they are asked.
    pub gateways: Arc<Vec<GatewayReach>>,
    /// Whether there is a mail server, which delivers one-time codes to mail addresses.
    pub codes_by_mail: bool,
    /// The templates of mails.
    pub mail_templates: Arc<MailTemplates>,
}

/// How many bytes stamps, the seal and its proofs add to a document.
const ADDED_BY_SEALING: u64 = 16 * 1024 * 1024;

impl Settings {
    /// The largest file that can be verified here: the largest PDF that is accepted, with the files that may be embedded in
    /// it, and sealed.
    pub fn largest_sealed(&self) -> u64 {
        self.largest_document
            .saturating_add(document::evidence::embed::MOST_BYTES)
            .saturating_add(ADDED_BY_SEALING)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            public_url: "http://127.0.0.1:8080".to_owned(),
            auth_scheme: "service".to_owned(),
            webhook: AddressRules::default(),
            history: HistorySettings::default(),
            bulk: BulkSettings::default(),
            public_links: UseBounds {
                of_addressee: 5,
                of_link: 1_000,
            },
            login: LoginSettings::default(),
            session_seconds: 30 * 24 * 60 * 60,
            session_idle_seconds: 12 * 60 * 60,
            largest_document: 50 * 1024 * 1024,
            page_cache: 64 * 1024 * 1024,
            least_free_percent: 5,
            fonts_folder: None,
            sealing: SealingSettings::default(),
            codes_to: Vec::new(),
            gateways: Arc::default(),
            codes_by_mail: true,
            mail_templates: Arc::default(),
        }
    }
}
