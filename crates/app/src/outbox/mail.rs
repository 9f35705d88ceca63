//! What people are told by mail, or by a message where a telephone number stands in place of the address.
//!
//! A letter is written in the addressee's language when the reason for it happens, in the same transaction, and waits
//! encrypted in the outbox: it holds links that sign. One pair of templates (`templates/mail/letter.txt` and `.html`)
//! serves every occasion, where the operator has put none of his own in their place ([`crate::outbox::mail_template`]); the
//! sentences come from `locales/<language>/mail.ftl`.
//!
//! Nothing that a person wrote reaches a header as it is: control characters become blanks here, and the mailer encodes
//! what is left. In HTML everything is escaped.

use domain::one_time_code;
use domain::text::is_direction_control;
use domain::{BlobHash, CompanyId, Contact, Language, Palette, Random, WorkflowId, Zone};
use jiff::Timestamp;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};
use store::company::{Company, Style};
use store::outbox::{NewChannel, NewDelivery, NewLetter, StopReason};

use crate::base::error::Error;
use crate::base::vault::{Purpose, Vault};
use crate::outbox::mail_template::{MailTemplates, Part};
use crate::outbox::messages::new_event_id;
use crate::outbox::reach::GatewayReach;

/// The longest subject, in characters; longer ones end in an ellipsis.
const LONGEST_SUBJECT: usize = 160;
/// What a mail's HTML calls its logo (RFC 2392).
pub const LOGO_ID: &str = "logo@countersign";
/// The box that a logo has in a mail, in CSS pixels.
const LOGO_WIDTH: u32 = 200;
const LOGO_HEIGHT: u32 = 48;
/// The colour of buttons where the company has none.
const ACCENT: &str = "#1d4ed8";

/// A letter to one person.
#[derive(Debug, Clone, Copy)]
pub struct Letter<'l> {
    /// The company's name, as people know it.
    pub company_name: &'l str,
    /// How the company shows itself.
    pub style: &'l Style,
    /// The workflow's name; empty where the letter is about none.
    pub document: &'l str,
    /// The addressee's name.
    pub name: &'l str,
    /// Where to.
    pub contact: &'l Contact,
    /// The addressee's language.
    pub language: Language,
    /// In which times are written.
    pub zone: Zone,
    /// Why.
    pub occasion: Occasion<'l>,
}

impl<'l> Letter<'l> {
    /// A letter about the company itself to one of its members.
    pub(crate) fn to_member(company: &'l Company, name: &'l str, contact: &'l Contact, occasion: Occasion<'l>) -> Self {
        Letter {
            company_name: &company.name,
            style: &company.style,
            document: "",
            name,
            contact,
            language: company.language,
            zone: company.zone,
            occasion,
        }
    }
}

/// A kind of mail, as the operator's templates are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailKind {
    /// It is the writer's turn.
    Request,
    /// It still is.
    Reminder,
    /// The document was given back.
    Returned,
    /// Everybody has approved.
    Completed,
    /// A writer has declined.
    Rejected,
    /// The sender has withdrawn it.
    Canceled,
    /// Its time ran out.
    Expired,
    /// A one-time code.
    Code,
    /// A webhook endpoint was stopped.
    Stopped,
    /// The certificate that the company seals with ends soon.
    Sealing,
}

impl MailKind {
    /// All of them.
    pub const ALL: [MailKind; 10] = [
        Self::Request,
        Self::Reminder,
        Self::Returned,
        Self::Completed,
        Self::Rejected,
        Self::Canceled,
        Self::Expired,
        Self::Code,
        Self::Stopped,
        Self::Sealing,
    ];

    /// `request`, `reminder` …
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reminder => "reminder",
            Self::Returned => "returned",
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
            Self::Code => "code",
            Self::Stopped => "stopped",
            Self::Sealing => "sealing",
        }
    }

    /// True where only members get it, who have a mail address.
    pub const fn is_for_members(self) -> bool {
        matches!(self, Self::Stopped | Self::Sealing)
    }

    /// Reads a word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == text)
    }
}

/// Why a letter is written.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'o> {
    /// It is the writer's turn.
    Request(Request<'o>),
    /// It still is.
    Reminder(Request<'o>),
    /// The step after has given the document back; it is the writer's turn again.
    Returned {
        /// Who gave it back.
        writer: &'o str,
        /// Why, in his words.
        reason: &'o str,
        /// Until when to write.
        deadline: Timestamp,
        /// Where to write.
        sign_url: &'o str,
    },
    /// Everybody has approved.
    Completed {
        /// When.
        at: Timestamp,
        /// Where the sealed document is; empty if its links are revoked.
        document_url: &'o str,
        /// Where the history certificate is; likewise.
        certificate_url: &'o str,
        /// The links are the addressee's own: they ask for a code.
        asks_code: bool,
        /// Whether one that the sender set is among what they ask for.
        access_code: AccessCode<'o>,
    },
    /// A writer has declined, and it is over.
    Rejected {
        /// When.
        at: Timestamp,
        /// Who.
        writer: &'o str,
        /// Why, in his words.
        reason: &'o str,
    },
    /// The sender has withdrawn it.
    Canceled {
        /// When.
        at: Timestamp,
        /// Who.
        sender: &'o str,
        /// Why, in his words.
        reason: &'o str,
    },
    /// Its time ran out.
    Expired {
        /// When.
        at: Timestamp,
    },
    /// The writer asked for a code, to show that this address is his.
    OneTimeCode {
        /// Six digits.
        code: &'o str,
    },
    /// A webhook endpoint was stopped; this goes to the company's admins.
    EndpointStopped {
        /// When.
        at: Timestamp,
        /// Which.
        url: &'o str,
        /// Why.
        reason: StopReason,
    },
    /// The certificate that the company seals with ends soon; this goes to the company's owners.
    SealEnds {
        /// When.
        at: Timestamp,
        /// The number of whole days until then.
        days: i64,
    },
}

/// What a writer is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// Who asks: a member's name or the company's.
    pub sender: &'r str,
    /// What he says; empty where he says nothing.
    pub comment: &'r str,
    /// Whether an access code is needed.
    pub access_code: AccessCode<'r>,
    /// Until when to write.
    pub deadline: Timestamp,
    /// Where to write.
    pub sign_url: &'r str,
}

/// Whether a document opens only with an access code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessCode<'a> {
    /// It opens without.
    None,
    /// It needs one.
    Needed,
    /// It needs one, and the sender gave a hint.
    NeededWithHint(&'a str),
}

impl<'a> AccessCode<'a> {
    fn hint(self) -> &'a str {
        match self {
            AccessCode::NeededWithHint(hint) => hint,
            AccessCode::None | AccessCode::Needed => "",
        }
    }
}

/// A letter as it waits in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// The name that the sender shows.
    pub from_name: String,
    /// Where answers go, if not to the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The SHA-256 of the company's logo, which the HTML shows as [`LOGO_ID`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// The addressee's name.
    pub to_name: String,
    /// A mail address, or a telephone number in its international form.
    pub to: String,
    /// The language it is written in.
    pub language: String,
    /// The subject; of a message, its first line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML; mails only.
    pub html: Option<String>,
    /// What members read in its place, if it has a link that is the addressee's alone: the same, written without that link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_members: Option<MailWords>,
    /// The links in it.
    pub links: Vec<MailLink>,
    /// It holds a one-time code: no member of the company may see it, or it would prove nothing.
    #[serde(default)]
    pub is_secret: bool,
    /// The parts of a message; messages only.
    #[serde(default)]
    pub message: Option<MessageParts>,
}

/// The parts of a message, for gateways that fill approved templates of their own; empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MessageParts {
    /// Why it is sent: `request`, `reminder`, `returned`, `completed`, `rejected`, `canceled`, `expired` or `code`.
    pub kind: String,
    /// The workflow's name.
    pub document: String,
    /// Who asks, or has withdrawn it.
    pub sender: String,
    /// Until when to write.
    pub deadline: String,
    /// A one-time code.
    pub code: String,
    /// For how many minutes that can be used.
    pub minutes: String,
}

/// What a letter says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailWords {
    /// The subject; of a message, its first line.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// A link of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailLink {
    /// What it opens.
    pub label: String,
    /// Where.
    pub url: String,
}

impl OutgoingMail {
    /// Reads the body of a [`MailRoom::delivery`].
    pub fn open(sealed: &[u8], vault: &Vault) -> Result<OutgoingMail, Error> {
        let plain = vault
            .decrypt(Purpose::OutboxBody, sealed)
            .map_err(|error| Error::internal("reading a mail", error))?;
        serde_json::from_slice(&plain).map_err(|error| Error::internal("reading a mail", error))
    }

    /// The body as it is kept.
    pub(crate) fn sealed(&self, vault: &Vault) -> Result<Vec<u8>, Error> {
        let plain = serde_json::to_vec(self).map_err(|error| Error::internal("keeping a mail", error))?;
        Ok(vault.encrypt(Purpose::OutboxBody, &plain))
    }

    /// The same without what it says: to whom it went, and about what.
    pub(crate) fn erased(mut self) -> OutgoingMail {
        self.text.clear();
        self.html = None;
        self.for_members = None;
        self.links.clear();
        if let Some(parts) = &mut self.message {
            parts.code.clear();
        }
        self
    }
}

/// What letters are written and kept with.
#[derive(Clone, Copy)]
pub struct MailRoom<'m> {
    /// The templates.
    pub templates: &'m MailTemplates,
    /// The gateways that messages go through, in the order in which they are asked.
    pub gateways: &'m [GatewayReach],
    /// Encrypts them.
    pub vault: &'m Vault,
    /// Gives them their ids.
    pub random: &'m dyn Random,
}

impl MailRoom<'_> {
    /// Writes a letter of a company, perhaps about a workflow, and encrypts it, ready to be enqueued.
    pub fn delivery(
        &self,
        company: &CompanyId,
        workflow: Option<WorkflowId>,
        letter: &Letter<'_>,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let mail = write(self.templates, letter)?;
        let kind = if mail.is_secret {
            NewLetter::Code {
                erase_at: at.checked_add(one_time_code::LIFE).unwrap_or(at),
            }
        } else {
            NewLetter::Ordinary
        };
        let gateway = mail.message.as_ref().and_then(|parts| {
            let serves = |gateway: &&GatewayReach| gateway.serves(&parts.kind, &mail.to);
            self.gateways.iter().find(serves)
        });
        Ok(NewDelivery {
            company: company.clone(),
            workflow,
            event_id: new_event_id(self.random),
            channel: match letter.contact {
                Contact::Email(_) => NewChannel::Mail(kind),
                Contact::Phone { .. } => NewChannel::Message {
                    gateway: gateway.map(|gateway| gateway.name.clone()),
                    letter: kind,
                },
            },
            body: mail.sealed(self.vault)?,
            created_at: at,
        })
    }
}

/// One labelled line.
#[derive(Serialize)]
struct Fact {
    label: String,
    value: String,
}

/// Somebody's own words.
#[derive(Serialize)]
struct Quote {
    label: String,
    lines: Vec<String>,
}

/// What the templates are filled with.
struct Content {
    kind: MailKind,
    paragraphs: Vec<String>,
    quote: Option<Quote>,
    facts: Vec<Fact>,
    links: Vec<MailLink>,
}

/// The logo as the HTML shows it.
#[derive(Serialize)]
struct ShownLogo {
    cid: &'static str,
    width: u32,
    height: u32,
}

/// A letter's content, before it has the form of a mail or of a message.
struct Draft {
    kind: MailKind,
    from_name: String,
    to_name: String,
    code: String,
    subject: String,
    message: String,
    parts: MessageParts,
    links: Vec<MailLink>,
    /// What the templates see; every kind has the same names.
    values: serde_json::Value,
}

/// Writes a letter: a mail in both forms, or a short message for a telephone number.
pub fn write(templates: &MailTemplates, letter: &Letter<'_>) -> Result<OutgoingMail, Error> {
    let hidden = i18n::text(letter.language, "mail-hidden-link", &[]);
    let for_members = match letter.occasion.without_addressees_links(&hidden) {
        Some(occasion) => {
            let letter = Letter { occasion, ..*letter };
            Some(words(templates, &letter, &draft(&letter))?)
        }
        None => None,
    };
    let draft = draft(letter);
    let MailWords { subject, text } = words(templates, letter, &draft)?;
    let is_mail = matches!(letter.contact, Contact::Email(_));
    let (to, html, message) = match letter.contact {
        Contact::Phone { number, .. } => (number.clone(), None, Some(draft.parts)),
        Contact::Email(address) => {
            let values = minijinja::Value::from(Serde(&draft.values));
            let html = templates.render(draft.kind, letter.language, Part::Html, &values)?;
            (address.clone(), html, None)
        }
    };
    Ok(OutgoingMail {
        from_name: draft.from_name,
        reply_to: letter.style.mail_reply_to.clone().filter(|_| is_mail),
        logo: letter.style.logo.filter(|_| is_mail).map(|logo| logo.hash.to_string()),
        to_name: draft.to_name,
        to,
        language: letter.language.code().to_owned(),
        subject,
        text,
        html,
        for_members,
        links: draft.links,
        is_secret: !draft.code.is_empty(),
        message,
    })
}

fn words(templates: &MailTemplates, letter: &Letter<'_>, draft: &Draft) -> Result<MailWords, Error> {
    let mut subject = draft.subject.clone();
    let text = if matches!(letter.contact, Contact::Phone { .. }) {
        let lines = std::iter::once(&draft.message).chain(draft.links.iter().map(|link| &link.url));
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    } else {
        let values = minijinja::Value::from(Serde(&draft.values));
        let part = |part| templates.render(draft.kind, letter.language, part, &values);
        if let Some(own) = part(Part::Subject)? {
            subject = cut(&one_line(&own));
        }
        part(Part::Text)?.unwrap_or_default()
    };
    Ok(MailWords { subject, text })
}

impl OutgoingMail {
    /// The logo that it shows.
    pub fn logo_hash(&self) -> Option<BlobHash> {
        BlobHash::parse(self.logo.as_deref()?)
    }
}

/// What the templates see of a letter.
pub(crate) fn values(letter: &Letter<'_>) -> serde_json::Value {
    draft(letter).values
}

fn draft(letter: &Letter<'_>) -> Draft {
    let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(letter.language, key, arguments);
    let moment = |at| i18n::date_time(letter.language, at, letter.zone);
    let deadline = match letter.occasion {
        Occasion::Request(Request { deadline, .. })
        | Occasion::Reminder(Request { deadline, .. })
        | Occasion::Returned { deadline, .. } => i18n::deadline(letter.language, deadline, letter.zone),
        _ => String::new(),
    };
    let content = content(letter, &deadline);
    let key = |part: &str| format!("mail-{}-{part}", content.kind.word());
    let company = one_line(letter.company_name);
    let document = one_line(letter.document);
    let name = one_line(letter.name);
    let raw = Raw::of(&letter.occasion);
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
        // Everybody gets the same links to the finished files, except signers who have to enter a code.
        let whose = match letter.occasion {
            Occasion::Completed { asks_code: false, .. } => "mail-shared",
            _ => "mail-personal",
        };
        footer.insert(0, say(whose, &[]));
    }
    let accent = letter.style.accent.map(|accent| Palette::of(accent).light.accent);
    let values = serde_json::json!({
        "kind": content.kind.word(),
        "language": letter.language.code(),
        "subject": subject,
        "company": company,
        "title": say(&key("title"), &arguments),
        "greeting": say("mail-greeting", &arguments),
        "paragraphs": content.paragraphs,
        "quote": content.quote,
        "facts": content.facts,
        "links": content.links,
        "link_help": say("mail-link-help", &[]),
        "footer": footer,
        "accent": accent.map_or_else(|| ACCENT.to_owned(), |accent| accent.to_string()),
        "logo": letter.style.logo.map(|logo| shown_logo(logo.width, logo.height)),
        // The same, piece by piece.
        "document": document,
        "name": name,
        "sender": one_line(raw.sender),
        "writer": writer,
        "comment": raw.comment,
        "reason": raw.reason,
        "hint": one_line(raw.hint),
        "needs_access_code": raw.needs_access_code,
        "deadline": deadline,
        "date": raw.at.map(moment).unwrap_or_default(),
        "sign_url": raw.sign_url,
        "document_url": raw.document_url,
        "certificate_url": raw.certificate_url,
        "webhook_url": raw.webhook_url,
        "code": raw.code,
        "minutes": minutes,
        "days": days,
    });
    Draft {
        kind: content.kind,
        from_name: letter
            .style
            .mail_sender_name
            .as_deref()
            .map_or_else(|| company.clone(), one_line),
        code: raw.code.to_owned(),
        message: say(&key("message"), &arguments),
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

/// As large as its box allows, and never larger than its pixels.
fn shown_logo(width: u32, height: u32) -> ShownLogo {
    let (width, height) = crate::companies::company_look::shown_logo_size((width, height), (LOGO_WIDTH, LOGO_HEIGHT));
    ShownLogo {
        cid: LOGO_ID,
        width,
        height,
    }
}

/// What an occasion holds, piece by piece; empty where it holds no such thing.
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

fn content(letter: &Letter<'_>, deadline: &str) -> Content {
    let language = letter.language;
    let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(language, key, arguments);
    let document = one_line(letter.document);
    let text = |word: &str, name: &str, value: &str| {
        say(
            &format!("mail-{word}-text"),
            &[("document", &document), (name, &one_line(value))],
        )
    };
    let fact = |key: &str, value: &str| Fact {
        label: say(key, &[]),
        value: one_line(value),
    };
    let moment = |at| fact("mail-at", &i18n::date_time(language, at, letter.zone));
    let quote = |key: &str, words: &str| {
        let lines: Vec<String> = words.lines().map(one_line).filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| Quote {
            label: say(key, &[]),
            lines,
        })
    };
    let link = |key: &str, url: &str| MailLink {
        label: say(key, &[]),
        url: url.to_owned(),
    };
    let code_needed = |access_code| match access_code {
        AccessCode::None => None,
        AccessCode::Needed => Some(say("mail-request-code", &[])),
        AccessCode::NeededWithHint(hint) => Some(say("mail-request-code-hint", &[("hint", &one_line(hint))])),
    };
    match letter.occasion {
        Occasion::Request(request) | Occasion::Reminder(request) => {
            let kind = if matches!(letter.occasion, Occasion::Request(_)) {
                MailKind::Request
            } else {
                MailKind::Reminder
            };
            let mut paragraphs = vec![text(kind.word(), "sender", request.sender)];
            paragraphs.extend(code_needed(request.access_code));
            Content {
                kind,
                paragraphs,
                quote: quote("mail-request-comment", request.comment),
                facts: vec![
                    fact("mail-document", &document),
                    fact("mail-sender", request.sender),
                    fact("mail-deadline", deadline),
                ],
                links: vec![link("mail-request-open", request.sign_url)],
            }
        }
        Occasion::Returned {
            writer,
            reason,
            sign_url,
            ..
        } => Content {
            kind: MailKind::Returned,
            paragraphs: vec![text("returned", "writer", writer)],
            quote: quote("mail-returned-reason", reason),
            facts: vec![fact("mail-document", &document), fact("mail-deadline", deadline)],
            links: vec![link("mail-request-open", sign_url)],
        },
        Occasion::Completed {
            at,
            document_url,
            certificate_url,
            access_code,
            ..
        } => Content {
            kind: MailKind::Completed,
            paragraphs: std::iter::once(text("completed", "name", letter.name))
                .chain(code_needed(access_code))
                .collect(),
            quote: None,
            facts: vec![fact("mail-document", &document), moment(at)],
            links: [
                ("mail-completed-document", document_url),
                ("mail-completed-certificate", certificate_url),
            ]
            .into_iter()
            .filter(|(_, url)| !url.is_empty())
            .map(|(key, url)| link(key, url))
            .collect(),
        },
        Occasion::Rejected { at, writer, reason } => Content {
            kind: MailKind::Rejected,
            paragraphs: vec![text("rejected", "writer", writer)],
            quote: quote("mail-rejected-reason", reason),
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::Canceled { at, sender, reason } => Content {
            kind: MailKind::Canceled,
            paragraphs: vec![text("canceled", "sender", sender)],
            quote: quote("mail-canceled-reason", reason),
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::Expired { at } => Content {
            kind: MailKind::Expired,
            paragraphs: vec![text("expired", "name", letter.name)],
            quote: None,
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::OneTimeCode { .. } => Content {
            kind: MailKind::Code,
            paragraphs: vec![
                text("code", "minutes", &one_time_code::LIFE.as_mins().to_string()),
                say("mail-code-secret", &[]),
            ],
            quote: None,
            facts: Vec::new(),
            links: Vec::new(),
        },
        Occasion::EndpointStopped { at, url, reason } => {
            let why = match reason {
                StopReason::Gone => "mail-stopped-gone",
                StopReason::Failing => "mail-stopped-failing",
            };
            Content {
                kind: MailKind::Stopped,
                paragraphs: vec![say(why, &[]), say("mail-stopped-lost", &[])],
                quote: None,
                facts: vec![fact("mail-stopped-url", url), moment(at)],
                links: Vec::new(),
            }
        }
        Occasion::SealEnds { at, days } => Content {
            kind: MailKind::Sealing,
            paragraphs: vec![
                text("sealing", "days", &days.to_string()),
                say("mail-sealing-remedy", &[]),
                say("mail-sealing-sealed", &[]),
            ],
            quote: None,
            facts: vec![fact("mail-sealing-ends", &i18n::date_time(language, at, letter.zone))],
            links: Vec::new(),
        },
    }
}

/// Text that a person wrote, on one line and without control characters.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let is_cut = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_direction_control(c);
    for part in text.split(is_cut) {
        if !line.is_empty() && !part.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    line.trim().to_owned()
}

fn cut(subject: &str) -> String {
    if subject.chars().count() <= LONGEST_SUBJECT {
        return subject.to_owned();
    }
    subject.chars().take(LONGEST_SUBJECT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn request(comment: &str) -> Request<'_> {
        Request {
            sender: "김민준",
            comment,
            access_code: AccessCode::NeededWithHint("생일 <6자리>"),
            deadline: AT,
            sign_url: "https://sign.example.com/mail/sign?token=abc&lang=ko",
        }
    }

    fn occasions() -> Vec<Occasion<'static>> {
        vec![
            Occasion::Request(request("잘 부탁드립니다.\n두 번째 줄")),
            Occasion::Reminder(request("")),
            Occasion::Returned {
                writer: "山田太郎",
                reason: "日付が違います",
                deadline: AT,
                sign_url: "https://sign.example.com/mail/sign?token=def",
            },
            Occasion::Completed {
                at: AT,
                document_url: "https://sign.example.com/mail/view?token=1&lang=ko",
                certificate_url: "https://sign.example.com/mail/view?token=2&lang=ko",
                asks_code: false,
                access_code: AccessCode::None,
            },
            Occasion::Completed {
                at: AT,
                document_url: "",
                certificate_url: "",
                asks_code: true,
                access_code: AccessCode::NeededWithHint("생일 <6자리>"),
            },
            Occasion::Rejected {
                at: AT,
                writer: "张伟",
                reason: "Not my contract",
            },
            Occasion::Canceled {
                at: AT,
                sender: "김민준",
                reason: "",
            },
            Occasion::Expired { at: AT },
            Occasion::OneTimeCode { code: "012345" },
            Occasion::EndpointStopped {
                at: AT,
                url: "https://hooks.example.com/a",
                reason: StopReason::Gone,
            },
            Occasion::EndpointStopped {
                at: AT,
                url: "https://hooks.example.com/a",
                reason: StopReason::Failing,
            },
            Occasion::SealEnds { at: AT, days: 30 },
        ]
    }

    static PLAIN: Style = Style {
        accent: None,
        logo: None,
        mail_sender_name: None,
        mail_reply_to: None,
        completed_mails: domain::CompletedMails {
            writers: true,
            copies: true,
            sender: true,
        },
        reminders: domain::Reminders {
            every_days: None,
            before_days: None,
        },
    };

    fn write(letter: &Letter<'_>) -> Result<OutgoingMail, Error> {
        super::write(&MailTemplates::built_in(), letter)
    }

    fn letter<'l>(contact: &'l Contact, language: Language, occasion: Occasion<'l>) -> Letter<'l> {
        Letter {
            company_name: "데모 <회사> & Co",
            style: &PLAIN,
            document: "근로계약서 \"2025\"",
            name: "홍길동",
            contact,
            language,
            zone: Zone::SEOUL,
            occasion,
        }
    }

    fn email() -> Contact {
        Contact::Email("hong@example.com".to_owned())
    }

    #[test]
    fn every_occasion_is_written_in_every_language_with_nothing_left_open() {
        let phone = Contact::Phone {
            given: "010-1234-5678".to_owned(),
            number: "+821012345678".to_owned(),
        };
        for language in [Language::Ko, Language::En, Language::Ja] {
            for occasion in occasions() {
                let mail = write(&letter(&email(), language, occasion)).unwrap();
                let html = mail.html.as_deref().unwrap();
                for part in [mail.subject.as_str(), mail.text.as_str(), html] {
                    assert!(!part.contains("mail-"), "a key without a sentence: {part}");
                    assert!(
                        !part.contains("{$") && !part.contains("{ $"),
                        "an argument is missing: {part}"
                    );
                    assert!(!part.trim().is_empty());
                }
                for link in &mail.links {
                    assert!(mail.text.contains(&link.url), "{}", mail.text);
                }
                assert!(html.contains("데모 &lt;회사&gt; &amp; Co"), "{html}");
                let message = write(&letter(&phone, language, occasion)).unwrap();
                assert_eq!((message.to.as_str(), message.html), ("+821012345678", None));
                assert!(
                    !message.text.contains("mail-") && !message.text.contains("{ $"),
                    "{}",
                    message.text
                );
                assert!(message.links.iter().all(|link| message.text.contains(&link.url)));
            }
        }
    }

    #[test]
    fn a_request_names_document_sender_deadline_with_zone_and_link() {
        let mail = write(&letter(&email(), Language::Ko, occasions()[0])).unwrap();
        assert_eq!(mail.subject, "[데모 <회사> & Co] 서명 요청: 근로계약서 \"2025\"");
        assert_eq!(
            mail.text,
            "홍길동 님, 안녕하세요.\n\n\
             김민준 님이 \"근로계약서 \"2025\"\" 문서의 작성과 서명을 요청했습니다.\n\n\
             문서를 열려면 접근 암호가 필요합니다. 힌트: 생일 <6자리>\n\n\
             보낸 사람의 메시지:\n> 잘 부탁드립니다.\n> 두 번째 줄\n\n\
             문서: 근로계약서 \"2025\"\n보낸 사람: 김민준\n기한: 1970년 1월 1일 09:00 (한국 시간)\n\n\
             문서 열고 서명하기:\nhttps://sign.example.com/mail/sign?token=abc&lang=ko\n\n\
             --\n\
             이 메일의 링크는 받는 분만 사용할 수 있습니다. 다른 사람에게 전달하지 마세요.\n\
             데모 <회사> & Co에서 보낸 메일입니다.\n"
        );
        let html = mail.html.unwrap();
        assert!(
            html.contains("href=\"https://sign.example.com/mail/sign?token=abc&amp;lang=ko\""),
            "{html}"
        );
    }

    #[test]
    fn what_people_wrote_never_breaks_a_line_or_markup() {
        let contact = email();
        let mut letter = letter(
            &contact,
            Language::En,
            Occasion::Rejected {
                at: AT,
                writer: "Eve\r\nBcc: all@example.com",
                reason: "<script>alert(1)</script>\r\nsecond",
            },
        );
        letter.company_name = "A\r\nX-Evil: 1";
        letter.document = "Title\u{0}\u{2028}two";
        letter.name = "\tN\n";
        let mail = write(&letter).unwrap();
        assert_eq!(mail.subject, "[A X-Evil: 1] Declined: Title two");
        assert_eq!((mail.from_name.as_str(), mail.to_name.as_str()), ("A X-Evil: 1", "N"));
        assert!(mail.text.contains("Eve Bcc: all@example.com declined"), "{}", mail.text);
        let html = mail.html.unwrap();
        assert!(!html.contains("<script>") && html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn a_one_time_code_stands_in_the_text_and_in_no_subject() {
        let phone = Contact::Phone {
            given: "010-1234-5678".to_owned(),
            number: "+821012345678".to_owned(),
        };
        for (language, contact) in Language::ALL
            .into_iter()
            .flat_map(|l| [(l, email()), (l, phone.clone())])
        {
            let occasion = Occasion::OneTimeCode { code: "012345" };
            let mail = write(&letter(&contact, language, occasion)).unwrap();
            assert!(mail.is_secret && mail.text.contains("012345"), "{}", mail.text);
            assert!(mail.html.is_none_or(|html| html.contains(">012345<")));
            assert!(!mail.subject.contains("012345"), "{}", mail.subject);
        }
        let other = write(&letter(&phone, Language::Ko, Occasion::Expired { at: AT })).unwrap();
        assert!(!other.is_secret);
    }

    #[test]
    fn a_long_subject_is_cut() {
        let (contact, document) = (email(), "가".repeat(500));
        let mut letter = letter(&contact, Language::Ko, Occasion::Expired { at: AT });
        letter.document = &document;
        let subject = write(&letter).unwrap().subject;
        assert_eq!(subject.chars().count(), LONGEST_SUBJECT);
        assert!(subject.ends_with('…'));
    }
}
