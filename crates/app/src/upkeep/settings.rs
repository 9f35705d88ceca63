//! The operator's settings for the whole installation, as used by use cases.
//!
//! The program reads them from its configuration. A company's own settings are in its row of the database.

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

#[derive(Debug, Clone)]
pub struct Settings {
    /// Prefix of all link addresses: scheme, host, port and optionally a path, without a slash at the end.
    pub public_url: String,
    /// The scheme of the Authorization header that is accepted besides `Bearer`.
    pub auth_scheme: String,
    /// The addresses allowed for endpoints.
    pub webhook: AddressRules,
    /// The limits of each company's history in the Export API.
    pub history: HistorySettings,
    /// The size limits of a bulk send.
    pub bulk: BulkSettings,
    /// The limits per hour on the use of public links.
    pub public_links: UseBounds,
    /// The limits on wrong credentials.
    pub login: LoginSettings,
    /// Maximum length of a member's session on the pages, in seconds.
    pub session_seconds: i64,
    /// Maximum idle time of a session, in seconds.
    pub session_idle_seconds: i64,
    /// Maximum size of a PDF, in bytes.
    pub largest_document: u64,
    /// The memory limit for cached pictures and texts of pages, in bytes.
    pub page_cache: u64,
    /// Minimum free disk space in percent. Below it, no new files and documents are accepted. 0 turns the check off.
    pub least_free_percent: u64,
    /// A folder with additional fonts, used after the built-in ones.
    pub fonts_folder: Option<PathBuf>,
    pub sealing: SealingSettings,
    /// Prefixes of the telephone numbers that can receive one-time codes by messenger, such as `+82`. Empty without a
    /// messenger.
    pub codes_to: Vec<String>,
    /// The gateways for text messages, in the order in which we try them.
    pub gateways: Arc<Vec<GatewayReach>>,
    /// Whether there is a mail server that can deliver one-time codes to e-mail addresses.
    pub codes_by_mail: bool,
    pub mail_templates: Arc<MailTemplates>,
}

/// Maximum number of bytes that stamps, the seal and its proofs add to a document.
const ADDED_BY_SEALING: u64 = 16 * 1024 * 1024;

impl Settings {
    /// Maximum size of a file that can be verified here: the largest accepted PDF, with its embedded files, sealed.
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
