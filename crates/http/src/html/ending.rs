//! Pages shown in place of the requested one: already signed, ended, expired, an old or unknown link, errors. Each
//! explains what happened and what to do, with the matching status code.

use app::CompanyLook;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Language;
use serde::Serialize;

use super::render::{Frame, respond};

/// The reason why the requested page is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// This signer has approved (409).
    Signed,
    /// Earlier signers have not finished (409).
    Waiting,
    /// Everyone has signed (410).
    Complete,
    /// A signer declined the document (410).
    Rejected,
    /// The holder of this link declined it (410).
    RejectedByHolder,
    /// The sender cancelled it (410).
    Canceled,
    /// It expired (410).
    Expired,
    /// The link was replaced by a newer one (410).
    OldLink,
    /// The holder of this link assigned the document to someone else (410).
    HandedOver,
    /// The link to a finished document expired (410).
    LinkExpired,
    /// The public link was closed (410).
    LinkClosed,
    /// The public link reached its limit (410).
    LinkUsedUp,
    /// The public link expired (410).
    LinkEnded,
    /// The signing link was sent by message (200).
    LinkSent,
    /// A new signing link was asked for (200). Says the same whether one was sent or not.
    NewLinkAsked,
    /// Too many wrong access codes were entered (409).
    Locked,
    /// Too many wrong access codes were entered for a completed document (409).
    FilesLocked,
    /// We never created this link (404).
    UnknownLink,
    /// The page does not exist (404).
    Missing,
    /// The account has no access to this page (403).
    Forbidden,
    /// Too many requests (429), or the service is busy (503).
    Busy(StatusCode),
    /// The outcome of the action is unknown (500).
    Doubt,
    /// An internal failure (500).
    Trouble,
}

impl Ending {
    /// Every kind, for the test of the texts.
    #[cfg(test)]
    pub const ALL: [Ending; 23] = [
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
        Ending::NewLinkAsked,
        Ending::Locked,
        Ending::FilesLocked,
        Ending::UnknownLink,
        Ending::Missing,
        Ending::Forbidden,
        Ending::Busy(StatusCode::SERVICE_UNAVAILABLE),
        Ending::Doubt,
        Ending::Trouble,
    ];

    pub fn status(self) -> StatusCode {
        match self {
            Self::LinkSent | Self::NewLinkAsked => StatusCode::OK,
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

    /// Returns the keys of the heading, of the text that names a date or person, and of the text without them.
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
            Self::NewLinkAsked => ("link-sent-title", None, "end-new-link-asked"),
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
            Self::NewLinkAsked => ("", "mail"),
            Self::Expired | Self::LinkExpired | Self::LinkEnded | Self::Busy(_) => ("warn", "clock"),
            Self::Doubt => ("warn", "alert"),
            Self::Rejected | Self::RejectedByHolder | Self::Canceled => ("", "cross"),
            Self::OldLink | Self::UnknownLink | Self::LinkClosed | Self::LinkUsedUp => ("warn", "link"),
            Self::Locked | Self::FilesLocked | Self::Forbidden => ("warn", "lock"),
            Self::Missing => ("", "question"),
            Self::Trouble => ("bad", "alert"),
        }
    }

    /// Returns the heading, which is also the page's title.
    pub fn title(self, language: Language) -> String {
        i18n::text(language, self.keys().0, &[])
    }
}

/// Optional details on the page.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The document, if the holder of the link may see it.
    pub document: Option<String>,
    /// The sending company and its look.
    pub look: Option<CompanyLook>,
    /// The date of the event, formatted for people.
    pub date: Option<String>,
    /// The person who acted, if the holder of the link may see the name.
    pub name: Option<String>,
    pub links: Vec<Link>,
    /// Where a form asks for a new link.
    pub new_link: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Link {
    pub href: String,
    pub text: String,
}

#[derive(Serialize)]
struct Content<'a> {
    tone: &'static str,
    symbol: &'static str,
    text: String,
    document: Option<&'a str>,
    links: &'a [Link],
    new_link: Option<&'a str>,
}

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
        new_link: about.new_link.as_deref(),
    };
    respond(ending.status(), "end.html", &frame, &content)
}
