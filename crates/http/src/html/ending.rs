//! Pages that stand where another was asked for: signed already, ended, expired, an old or a wrong
//! link, trouble. Each tells what happened and what helps, with the status code that programs need.

use app::CompanyLook;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Language;
use serde::Serialize;

use super::render::{Frame, respond};

/// Why the page that was asked for is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// This writer has approved (409).
    Signed,
    /// Writers before this one are at work (409).
    Waiting,
    /// All have signed (410).
    Complete,
    /// A writer rejected the document (410).
    Rejected,
    /// The holder of this link rejected it himself (410).
    RejectedByHolder,
    /// The sender cancelled it (410).
    Canceled,
    /// Its time ran out (410).
    Expired,
    /// A newer link took this one's place (410).
    OldLink,
    /// The holder of this link has handed the document over (410).
    HandedOver,
    /// A link to a finished document ran out (410).
    LinkExpired,
    /// A public link that its maker closed (410).
    LinkClosed,
    /// A public link that was used as often as it can be (410).
    LinkUsedUp,
    /// A public link whose time is over (410).
    LinkEnded,
    /// The signing link was sent by message (200).
    LinkSent,
    /// The access code was tried too often (409).
    Locked,
    /// The same, where the document is complete (409).
    FilesLocked,
    /// We never made this link (404).
    UnknownLink,
    /// There is no such page (404).
    Missing,
    /// The account may not see this (403).
    Forbidden,
    /// Too many requests (429), or too much to do (503).
    Busy(StatusCode),
    /// It is not known whether it was done (500).
    Doubt,
    /// Our own failure (500).
    Trouble,
}

impl Ending {
    /// Every kind, for the test of the sentences.
    #[cfg(test)]
    pub const ALL: [Ending; 22] = [
        Ending::Signed,
        Ending::Waiting,
        Ending::Complete,
        Ending::Rejected,
        Ending::RejectedByHolder,
        Ending::Canceled,
        Ending::Expired,
        Ending::OldLink,
        Ending::HandedOver,
        Ending::LinkExpired,
        Ending::LinkClosed,
        Ending::LinkUsedUp,
        Ending::LinkEnded,
        Ending::LinkSent,
        Ending::Locked,
        Ending::FilesLocked,
        Ending::UnknownLink,
        Ending::Missing,
        Ending::Forbidden,
        Ending::Busy(StatusCode::SERVICE_UNAVAILABLE),
        Ending::Doubt,
        Ending::Trouble,
    ];

    /// The status code.
    pub fn status(self) -> StatusCode {
        match self {
            Self::LinkSent => StatusCode::OK,
            Self::Signed | Self::Waiting | Self::Locked | Self::FilesLocked => StatusCode::CONFLICT,
            Self::Complete
            | Self::Rejected
            | Self::RejectedByHolder
            | Self::Canceled
            | Self::Expired
            | Self::OldLink
            | Self::HandedOver
            | Self::LinkExpired
            | Self::LinkClosed
            | Self::LinkUsedUp
            | Self::LinkEnded => StatusCode::GONE,
            Self::UnknownLink | Self::Missing => StatusCode::NOT_FOUND,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Busy(status) => status,
            Self::Doubt | Self::Trouble => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Keys of the heading, of the sentence that names when or who, and of the sentence where that is not told.
    fn keys(self) -> (&'static str, Option<&'static str>, &'static str) {
        match self {
            Self::Signed => ("end-signed-title", Some("end-signed-text"), "end-signed-plain"),
            Self::Waiting => ("end-waiting-title", None, "end-waiting-text"),
            Self::Complete => ("end-complete-title", None, "end-complete-text"),
            Self::Rejected => ("end-rejected-title", Some("end-rejected-by-text"), "end-rejected-text"),
            Self::RejectedByHolder => ("end-rejected-own-title", None, "end-rejected-own-text"),
            Self::Canceled => ("end-canceled-title", None, "end-canceled-text"),
            Self::Expired => ("end-expired-title", Some("end-expired-text"), "end-expired-plain"),
            Self::OldLink => ("end-old-title", None, "end-old-text"),
            Self::HandedOver => ("end-handed-over-title", None, "end-handed-over-text"),
            Self::LinkExpired => ("view-expired-title", None, "view-expired-text"),
            Self::LinkClosed => ("link-closed-title", None, "link-closed-text"),
            Self::LinkUsedUp => ("link-used-up-title", None, "link-used-up-text"),
            Self::LinkEnded => ("link-ended-title", None, "link-ended-text"),
            Self::LinkSent => ("link-sent-title", None, "link-sent-text"),
            Self::Locked => ("sign-code-locked-title", None, "sign-code-locked"),
            Self::FilesLocked => ("sign-code-locked-title", None, "view-locked"),
            Self::UnknownLink => ("end-unknown-title", None, "end-unknown-text"),
            Self::Missing => ("end-missing-title", None, "end-missing-text"),
            Self::Forbidden => ("end-forbidden-title", None, "end-forbidden-text"),
            Self::Busy(_) => ("end-busy-title", None, "end-busy-text"),
            Self::Doubt => ("end-doubt-title", None, "end-doubt-text"),
            Self::Trouble => ("end-trouble-title", None, "end-trouble-text"),
        }
    }

    fn tone(self) -> (&'static str, &'static str) {
        match self {
            Self::Signed | Self::Complete | Self::HandedOver | Self::LinkSent => ("good", "check"),
            Self::Waiting => ("", "clock"),
            Self::Expired | Self::LinkExpired | Self::LinkEnded | Self::Busy(_) => ("warn", "clock"),
            Self::Doubt => ("warn", "alert"),
            Self::Rejected | Self::RejectedByHolder | Self::Canceled => ("", "cross"),
            Self::OldLink | Self::UnknownLink | Self::LinkClosed | Self::LinkUsedUp => ("warn", "link"),
            Self::Locked | Self::FilesLocked | Self::Forbidden => ("warn", "lock"),
            Self::Missing => ("", "question"),
            Self::Trouble => ("bad", "alert"),
        }
    }

    /// The heading, which is the page's title too.
    pub fn title(self, language: Language) -> String {
        i18n::text(language, self.keys().0, &[])
    }
}

/// What an ending page names besides its sentence.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The document, where the link shows that its holder may know.
    pub document: Option<String>,
    /// The company that sent it, and how it looks.
    pub look: Option<CompanyLook>,
    /// When it happened, as people write it.
    pub date: Option<String>,
    /// Who did it, where the holder of the link may know.
    pub name: Option<String>,
    /// Where to go from here.
    pub links: Vec<Link>,
}

/// A way on.
#[derive(Debug, Clone, Serialize)]
pub struct Link {
    /// Where to.
    pub href: String,
    /// In words.
    pub text: String,
}

#[derive(Serialize)]
struct Content<'a> {
    tone: &'static str,
    symbol: &'static str,
    text: String,
    document: Option<&'a str>,
    links: &'a [Link],
}

/// The page that tells.
pub fn page(ending: Ending, language: Language, mut frame: Frame, about: &About) -> Response {
    let (_, telling, plain) = ending.keys();
    let told = [("date", about.date.as_deref()), ("name", about.name.as_deref())];
    let told: Vec<(&str, &str)> = told
        .into_iter()
        .filter_map(|(what, told)| Some((what, told?)))
        .collect();
    let key = telling.filter(|_| !told.is_empty()).unwrap_or(plain);
    let text = i18n::text(language, key, &told);
    let (tone, symbol) = ending.tone();
    frame.title = ending.title(language);
    let content = Content {
        tone,
        symbol,
        text,
        document: about.document.as_deref(),
        links: &about.links,
    };
    respond(ending.status(), "end.html", &frame, &content)
}
