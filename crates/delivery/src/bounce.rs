//! Reads reports about mails that bounced after a mail server had accepted them (RFC 3464).
//!
//! The recipient's server sends such a report to the sender's address as a `multipart/report` (RFC 6522): a text for
//! people, the report's fields, and the returned mail or its headers. The operator of the mailbox passes these mails to
//! `countersign mail bounced`. We recognise our mail by its Message-ID, which nobody can guess without having received
//! or relayed the mail.
//!
//! Strangers write this input, so we trust none of it, and only display its text.

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

/// Maximum number of bytes of a report that we read. A returned mail is as long as the original, and ours are short.
pub const LONGEST_REPORT: usize = 4 << 20;

/// A permanent bounce of one of our mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounce {
    /// The event ID from the Message-ID of the bounced mail.
    pub event_id: String,
    /// The mail server's reply code, if the report names one (RFC 5321 4.2).
    pub code: Option<u16>,
    /// The mail server's response, on one line.
    pub words: String,
}

/// Reason why a mail is not a report that one of our mails bounced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoBounce {
    /// Something else, such as a reply or an advertisement.
    #[error("this is not a delivery report (RFC 3464)")]
    NoReport,
    /// A delivery report without a failure: the mail is late or has arrived.
    #[error("the report names no permanent failure")]
    NothingFailed,
    /// A report about someone else's mail, or one that does not name its mail.
    #[error("the report does not contain the Message-ID of one of our mails")]
    NotOurs,
}

pub fn read(mail: &[u8]) -> Result<Bounce, NoBounce> {
    let message = MessageParser::default().parse(mail).ok_or(NoBounce::NoReport)?;
    let status = message
        .parts
        .iter()
        .filter(|part| is(*part, "message", &["delivery-status", "global-delivery-status"]))
        .find_map(|part| text(&part.body))
        .ok_or(NoBounce::NoReport)?;
    // Fields about the whole report come first, then one group per recipient. Our mails have one recipient.
    let failed = groups(&status)
        .into_iter()
        .find(|group| value(group, "action").is_some_and(|action| action.eq_ignore_ascii_case("failed")))
        .ok_or(NoBounce::NothingFailed)?;
    let event_id = message
        .parts
        .iter()
        .find_map(|part| returned_id(&part.body, is(part, "text", &["rfc822-headers"])))
        .ok_or(NoBounce::NotOurs)?;
    let words = value(&failed, "diagnostic-code").map(|words| match words.split_once(';') {
        Some((kind, words)) if kind.trim().eq_ignore_ascii_case("smtp") => words.trim(),
        _ => words,
    });
    // If the recipient's server returned no text, use the RFC 3463 code.
    let words = words.or(value(&failed, "status")).unwrap_or_default();
    let code = words
        .get(..3)
        .and_then(|digits| digits.parse().ok())
        .filter(|code| (400..600).contains(code));
    Ok(Bounce {
        event_id,
        code,
        words: words.split_whitespace().collect::<Vec<_>>().join(" "),
    })
}

fn is<'x>(part: &impl MimeHeaders<'x>, main: &str, subtypes: &[&str]) -> bool {
    part.content_type().is_some_and(|kind| {
        kind.ctype().eq_ignore_ascii_case(main)
            && kind
                .subtype()
                .is_some_and(|subtype| subtypes.iter().any(|one| subtype.eq_ignore_ascii_case(one)))
    })
}

fn text(body: &PartType<'_>) -> Option<String> {
    match body {
        PartType::Text(text) | PartType::Html(text) => Some(text.clone().into_owned()),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        // Some parsers read a report's fields as the headers of a message.
        PartType::Message(message) => Some(String::from_utf8_lossy(&message.raw_message).into_owned()),
        PartType::Multipart(_) => None,
    }
}

/// Parses fields with lower-case names, in groups separated by empty lines. Continuation lines are joined (RFC 5322
/// 2.2.3).
fn groups(text: &str) -> Vec<Vec<(String, String)>> {
    let mut groups: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            groups.push(Vec::new());
            continue;
        }
        let Some(group) = groups.last_mut() else { continue };
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = group.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            group.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    groups
}

fn value<'g>(group: &'g [(String, String)], name: &str) -> Option<&'g str> {
    group
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
        .filter(|value| !value.is_empty())
}

/// Returns the ID of our mail, if this part of the report contains the mail or its headers.
fn returned_id(body: &PartType<'_>, is_headers: bool) -> Option<String> {
    let of = |message: &Message<'_>| message.message_id().and_then(event_id);
    match body {
        PartType::Message(message) => of(message),
        body if is_headers => of(&MessageParser::default().parse_headers(text(body)?.as_bytes())?),
        _ => None,
    }
}

/// Returns the left part of one of our Message-IDs.
fn event_id(message_id: &str) -> Option<String> {
    let (left, _) = message_id.trim().split_once('@')?;
    left.starts_with("msg_").then(|| left.to_owned())
}
