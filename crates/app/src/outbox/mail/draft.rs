//! A message before it is formatted as a mail or text message.

use domain::{Colour, Palette, one_time_code};
use jiff::Timestamp;
use serde::Serialize;

use super::content::{Content, content, one_line};
use super::{AccessCode, LOGO_ID, MailKind, MailLink, MessageParts, Notification, Occasion, Request};
use crate::companies::company_look::shown_logo_size;

/// Maximum length of a subject in characters. Longer ones end in an ellipsis.
pub(super) const LONGEST_SUBJECT: usize = 160;
/// Maximum size of the logo in a mail, in CSS pixels.
const LOGO_WIDTH: u32 = 200;
const LOGO_HEIGHT: u32 = 48;
/// The colour of buttons and links if the company has none.
const ACCENT: Colour = Colour([0x1d, 0x4e, 0xd8]);

/// The content of a message, as separate parts for templates and gateways.
pub(super) struct Draft {
    pub(super) kind: MailKind,
    pub(super) from_name: String,
    pub(super) to_name: String,
    pub(super) code: String,
    pub(super) subject: String,
    pub(super) message: String,
    pub(super) parts: MessageParts,
    pub(super) links: Vec<MailLink>,
    /// The template values. Every kind of mail has the same names.
    pub(super) values: serde_json::Value,
}

/// The logo as shown in the HTML.
#[derive(Serialize)]
struct ShownLogo {
    cid: &'static str,
    width: u32,
    height: u32,
}

/// The sentences that all kinds of messages share.
struct Sentences {
    title: String,
    greeting: String,
    link_help: String,
    footer: Vec<String>,
}

/// The names used in sentences, each on a single line.
struct Names<'n> {
    company: &'n str,
    document: &'n str,
    name: &'n str,
    writer: &'n str,
    subject: &'n str,
    deadline: &'n str,
    minutes: &'n str,
    days: &'n str,
}

fn deadline(notification: &Notification<'_>) -> String {
    match notification.occasion {
        Occasion::Request(Request { deadline, .. })
        | Occasion::Reminder(Request { deadline, .. })
        | Occasion::Returned { deadline, .. } => i18n::deadline(notification.language, deadline, notification.zone),
        _ => String::new(),
    }
}

pub(super) fn draft(notification: &Notification<'_>) -> Draft {
    let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(notification.language, key, arguments);
    let deadline = deadline(notification);
    let content = content(notification, &deadline);
    let key = |part: &str| format!("mail-{}-{part}", content.kind.word());
    let company = one_line(notification.company_name);
    let document = one_line(notification.document);
    let name = one_line(notification.name);
    let raw = Raw::of(&notification.occasion);
    let writer = one_line(raw.writer);
    let minutes = one_time_code::LIFE.as_mins().to_string();
    let days = raw.days.map(|days| days.to_string()).unwrap_or_default();
    let arguments = [
        ("company", company.as_str()),
        ("document", document.as_str()),
        ("name", name.as_str()),
        ("deadline", deadline.as_str()),
        ("writer", writer.as_str()),
        ("url", raw.webhook_url),
        ("code", raw.code),
        ("minutes", minutes.as_str()),
        ("days", days.as_str()),
    ];
    let subject = cut(&one_line(&say(&key("subject"), &arguments)));
    let mut footer = vec![say("mail-footer", &arguments)];
    if !content.links.is_empty() {
        // Everybody gets the same links to the completed files, except signers who have to enter a code.
        let whose = match notification.occasion {
            Occasion::Completed { asks_code: false, .. } => Some("mail-shared"),
            // The linked page asks members to sign in.
            Occasion::Undelivered { .. } => None,
            _ => Some("mail-personal"),
        };
        footer.splice(0..0, whose.map(|key| say(key, &[])));
    }
    let sentences = Sentences {
        title: say(&key("title"), &arguments),
        greeting: say("mail-greeting", &arguments),
        link_help: say("mail-link-help", &[]),
        footer,
    };
    let message = say(&key("message"), &arguments);
    let names = Names {
        company: &company,
        document: &document,
        name: &name,
        writer: &writer,
        subject: &subject,
        deadline: &deadline,
        minutes: &minutes,
        days: &days,
    };
    let values = template_values(notification, &content, &raw, &names, &sentences);
    Draft {
        kind: content.kind,
        from_name: notification
            .style
            .mail_sender_name
            .as_deref()
            .map_or_else(|| company.clone(), one_line),
        code: raw.code.to_owned(),
        message,
        parts: MessageParts {
            kind: content.kind.word().to_owned(),
            document: document.clone(),
            sender: one_line(raw.sender),
            deadline: deadline.clone(),
            code: raw.code.to_owned(),
            minutes: minutes.clone(),
        },
        links: content.links,
        to_name: name,
        subject,
        values,
    }
}

/// Returns the template values. Every kind of mail has the same names.
fn template_values(
    notification: &Notification<'_>,
    content: &Content,
    raw: &Raw<'_>,
    names: &Names<'_>,
    sentences: &Sentences,
) -> serde_json::Value {
    let date = raw
        .at
        .map(|at| i18n::date_time(notification.language, at, notification.zone));
    let palette = Palette::of(notification.style.accent.unwrap_or(ACCENT));
    serde_json::json!({
        "kind": content.kind.word(),
        "language": notification.language.code(),
        "subject": names.subject,
        "company": names.company,
        "title": sentences.title,
        "greeting": sentences.greeting,
        "paragraphs": content.paragraphs,
        "quote": content.quote,
        "facts": content.facts,
        "links": content.links,
        "link_help": sentences.link_help,
        "footer": sentences.footer,
        "accent": palette.light.accent.to_string(),
        "dark_accent": palette.dark.accent.to_string(),
        "on_dark_accent": palette.dark.on_accent.to_string(),
        "logo": notification.style.logo.map(|logo| shown_logo(logo.width, logo.height)),
        // The parts that the sentences above are made of.
        "document": names.document,
        "name": names.name,
        "sender": one_line(raw.sender),
        "writer": names.writer,
        "comment": raw.comment,
        "reason": raw.reason,
        "hint": one_line(raw.hint),
        "needs_access_code": raw.needs_access_code,
        "deadline": names.deadline,
        "date": date.unwrap_or_default(),
        "sign_url": raw.sign_url,
        "document_url": raw.document_url,
        "certificate_url": raw.certificate_url,
        "webhook_url": raw.webhook_url,
        "code": raw.code,
        "minutes": names.minutes,
        "days": names.days,
    })
}

/// Scales the logo to its maximum size, but never beyond its pixels.
fn shown_logo(width: u32, height: u32) -> ShownLogo {
    let (width, height) = shown_logo_size((width, height), (LOGO_WIDTH, LOGO_HEIGHT));
    ShownLogo {
        cid: LOGO_ID,
        width,
        height,
    }
}

/// The raw parts of an occasion. A part that it does not have is empty.
#[derive(Default)]
struct Raw<'o> {
    sender: &'o str,
    writer: &'o str,
    comment: &'o str,
    reason: &'o str,
    hint: &'o str,
    needs_access_code: bool,
    at: Option<Timestamp>,
    sign_url: &'o str,
    document_url: &'o str,
    certificate_url: &'o str,
    webhook_url: &'o str,
    code: &'o str,
    days: Option<i64>,
}

impl<'o> Raw<'o> {
    fn of(occasion: &Occasion<'o>) -> Raw<'o> {
        let nothing = Raw::default();
        match *occasion {
            Occasion::Request(request) | Occasion::Reminder(request) => Raw {
                sender: request.sender,
                comment: request.comment,
                hint: request.access_code.hint(),
                needs_access_code: request.access_code != AccessCode::None,
                sign_url: request.sign_url,
                ..nothing
            },
            Occasion::Returned {
                writer,
                reason,
                sign_url,
                ..
            } => Raw {
                writer,
                reason,
                sign_url,
                ..nothing
            },
            Occasion::Completed {
                at,
                document_url,
                certificate_url,
                access_code,
                ..
            } => Raw {
                at: Some(at),
                document_url,
                certificate_url,
                hint: access_code.hint(),
                needs_access_code: access_code != AccessCode::None,
                ..nothing
            },
            Occasion::Rejected { at, writer, reason } => Raw {
                at: Some(at),
                writer,
                reason,
                ..nothing
            },
            Occasion::Canceled { at, sender, reason } => Raw {
                at: Some(at),
                sender,
                reason,
                ..nothing
            },
            Occasion::Expired { at } => Raw {
                at: Some(at),
                ..nothing
            },
            Occasion::OneTimeCode { code } => Raw { code, ..nothing },
            Occasion::Undelivered { at, person, reason, .. } => Raw {
                at: Some(at),
                writer: person,
                reason,
                ..nothing
            },
            Occasion::EndpointStopped { at, url, .. } => Raw {
                at: Some(at),
                webhook_url: url,
                ..nothing
            },
            Occasion::SealEnds { at, days } => Raw {
                at: Some(at),
                days: Some(days),
                ..nothing
            },
        }
    }
}

pub(super) fn cut(subject: &str) -> String {
    if subject.chars().count() <= LONGEST_SUBJECT {
        return subject.to_owned();
    }
    subject.chars().take(LONGEST_SUBJECT - 1).chain(['…']).collect()
}
