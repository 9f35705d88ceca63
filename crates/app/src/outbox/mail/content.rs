//! The content of a message on each occasion: its paragraphs, quote, facts and links.

use domain::one_time_code;
use domain::text::is_direction_control;
use jiff::Timestamp;
use serde::Serialize;
use store::outbox::StopReason;

use super::{AccessCode, MailKind, MailLink, Notification, Occasion, Request};

/// A labelled line.
#[derive(Serialize)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
}

/// A quotation of a person's comment.
#[derive(Serialize)]
pub(super) struct Quote {
    pub(super) label: String,
    pub(super) lines: Vec<String>,
}

/// The content from which template values are made.
pub(super) struct Content {
    pub(super) kind: MailKind,
    pub(super) paragraphs: Vec<String>,
    pub(super) quote: Option<Quote>,
    pub(super) facts: Vec<Fact>,
    pub(super) links: Vec<MailLink>,
}

/// Formats the sentences of one message.
struct Sentences<'l> {
    notification: &'l Notification<'l>,
    document: String,
    deadline: &'l str,
}

pub(super) fn content(notification: &Notification<'_>, deadline: &str) -> Content {
    let sentences = Sentences {
        notification,
        document: one_line(notification.document),
        deadline,
    };
    sentences.content()
}

impl Sentences<'_> {
    fn content(&self) -> Content {
        match self.notification.occasion {
            Occasion::Request(request) => self.request(MailKind::Request, &request),
            Occasion::Reminder(request) => self.request(MailKind::Reminder, &request),
            Occasion::Returned {
                writer,
                reason,
                sign_url,
                ..
            } => self.returned(writer, reason, sign_url),
            Occasion::Completed {
                at,
                document_url,
                certificate_url,
                access_code,
                ..
            } => self.completed(at, document_url, certificate_url, access_code),
            Occasion::Rejected { at, writer, reason } => self.ended(
                MailKind::Rejected,
                self.text("rejected", "writer", writer),
                self.quote("mail-rejected-reason", reason),
                at,
            ),
            Occasion::Canceled { at, sender, reason } => self.ended(
                MailKind::Canceled,
                self.text("canceled", "sender", sender),
                self.quote("mail-canceled-reason", reason),
                at,
            ),
            Occasion::Expired { at } => self.ended(
                MailKind::Expired,
                self.text("expired", "name", self.notification.name),
                None,
                at,
            ),
            Occasion::OneTimeCode { .. } => plain(
                MailKind::Code,
                vec![
                    self.text("code", "minutes", &one_time_code::LIFE.as_mins().to_string()),
                    self.say("mail-code-secret", &[]),
                ],
                Vec::new(),
            ),
            Occasion::Undelivered {
                at,
                person,
                address,
                reason,
                outbox_url,
            } => Content {
                kind: MailKind::Undelivered,
                paragraphs: vec![
                    self.text("undelivered", "person", person),
                    self.say("mail-undelivered-remedy", &[]),
                ],
                quote: self.quote("mail-undelivered-reason", reason),
                facts: vec![
                    self.fact("mail-document", &self.document),
                    self.fact("mail-undelivered-address", address),
                    self.moment("mail-at", at),
                ],
                links: vec![self.link("mail-undelivered-open", outbox_url)],
            },
            Occasion::EndpointStopped { at, url, reason } => self.stopped(at, url, reason),
            Occasion::SealEnds { at, days } => plain(
                MailKind::Sealing,
                vec![
                    self.text("sealing", "days", &days.to_string()),
                    self.say("mail-sealing-remedy", &[]),
                    self.say("mail-sealing-sealed", &[]),
                ],
                vec![self.moment("mail-sealing-ends", at)],
            ),
        }
    }

    fn returned(&self, writer: &str, reason: &str, sign_url: &str) -> Content {
        Content {
            kind: MailKind::Returned,
            paragraphs: vec![self.text("returned", "writer", writer)],
            quote: self.quote("mail-returned-reason", reason),
            facts: vec![
                self.fact("mail-document", &self.document),
                self.fact("mail-deadline", self.deadline),
            ],
            links: vec![self.link("mail-request-open", sign_url)],
        }
    }

    fn stopped(&self, at: Timestamp, url: &str, reason: StopReason) -> Content {
        let why = match reason {
            StopReason::Gone => "mail-stopped-gone",
            StopReason::Failing => "mail-stopped-failing",
        };
        plain(
            MailKind::Stopped,
            vec![self.say(why, &[]), self.say("mail-stopped-lost", &[])],
            vec![self.fact("mail-stopped-url", url), self.moment("mail-at", at)],
        )
    }

    fn request(&self, kind: MailKind, request: &Request<'_>) -> Content {
        let text = self.text(kind.word(), "sender", request.sender);
        Content {
            kind,
            paragraphs: std::iter::once(text)
                .chain(self.code_needed(request.access_code))
                .collect(),
            quote: self.quote("mail-request-comment", request.comment),
            facts: vec![
                self.fact("mail-document", &self.document),
                self.fact("mail-sender", &self.sender(request.sender)),
                self.fact("mail-deadline", self.deadline),
            ],
            links: vec![self.link("mail-request-open", request.sign_url)],
        }
    }

    fn completed(
        &self,
        at: Timestamp,
        document_url: &str,
        certificate_url: &str,
        access_code: AccessCode<'_>,
    ) -> Content {
        Content {
            kind: MailKind::Completed,
            paragraphs: std::iter::once(self.text("completed", "name", self.notification.name))
                .chain(self.code_needed(access_code))
                .collect(),
            quote: None,
            facts: vec![self.fact("mail-document", &self.document), self.moment("mail-at", at)],
            links: [
                ("mail-completed-document", document_url),
                ("mail-completed-certificate", certificate_url),
            ]
            .into_iter()
            .filter(|(_, url)| !url.is_empty())
            .map(|(key, url)| self.link(key, url))
            .collect(),
        }
    }

    /// The content about a document that ended early.
    fn ended(&self, kind: MailKind, text: String, quote: Option<Quote>, at: Timestamp) -> Content {
        Content {
            quote,
            ..plain(
                kind,
                vec![text],
                vec![self.fact("mail-document", &self.document), self.moment("mail-at", at)],
            )
        }
    }

    fn say(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        i18n::text(self.notification.language, key, arguments)
    }

    fn text(&self, word: &str, name: &str, value: &str) -> String {
        let arguments = [("document", self.document.as_str()), (name, &one_line(value))];
        self.say(&format!("mail-{word}-text"), &arguments)
    }

    fn fact(&self, key: &str, value: &str) -> Fact {
        Fact {
            label: self.say(key, &[]),
            value: one_line(value),
        }
    }

    fn moment(&self, key: &str, at: Timestamp) -> Fact {
        self.fact(
            key,
            &i18n::date_time(self.notification.language, at, self.notification.zone),
        )
    }

    fn quote(&self, key: &str, words: &str) -> Option<Quote> {
        let lines: Vec<String> = words.lines().map(one_line).filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| Quote {
            label: self.say(key, &[]),
            lines,
        })
    }

    fn link(&self, key: &str, url: &str) -> MailLink {
        MailLink {
            label: self.say(key, &[]),
            url: url.to_owned(),
        }
    }

    /// Formats a person's name with the address that identifies them.
    fn sender(&self, name: &str) -> String {
        match self.notification.sender_email {
            "" => name.to_owned(),
            address if address == name => name.to_owned(),
            address => format!("{name} ({address})"),
        }
    }

    fn code_needed(&self, access_code: AccessCode<'_>) -> Option<String> {
        match access_code {
            AccessCode::None => None,
            AccessCode::Needed => Some(self.say("mail-request-code", &[])),
            AccessCode::NeededWithHint(hint) => Some(self.say("mail-request-code-hint", &[("hint", &one_line(hint))])),
        }
    }
}

/// The content without quote and links.
fn plain(kind: MailKind, paragraphs: Vec<String>, facts: Vec<Fact>) -> Content {
    Content {
        kind,
        paragraphs,
        quote: None,
        facts,
        links: Vec::new(),
    }
}

/// Returns a person's text on one line and without control characters.
pub(super) fn one_line(text: &str) -> String {
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
