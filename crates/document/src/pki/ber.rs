//! Converts BER to a DER-like form, so that one reader handles both.
//!
//! CMS may use BER (RFC 5652, 4): lengths may be indefinite, and strings may be split. PDF requires DER (ISO 32000-2,
//! 12.8.3.3.1), but some signers ignore that. Parts with definite lengths and unsplit strings stay byte for byte,
//! because they may be signed in this form. Only the lengths around other parts are rewritten.

use std::borrow::Cow;

/// Maximum nesting. No message with certificates and timestamps is nested more deeply.
const DEEPEST: usize = 48;

const OCTET_STRING: u8 = 0x04;
const CONSTRUCTED: u8 = 0x20;

/// Returns the same value with definite lengths and unsplit strings. Other bytes are unchanged. Unreadable values stay
/// unchanged, so that the reader reports them.
pub(crate) fn definite(bytes: &[u8]) -> Cow<'_, [u8]> {
    match rewrite(bytes, 0) {
        Some((Some(mut rewritten), length)) => {
            rewritten.extend_from_slice(bytes.get(length..).unwrap_or_default());
            Cow::Owned(rewritten)
        }
        _ => Cow::Borrowed(bytes),
    }
}

struct Head {
    /// Number of octets in the tag.
    tag: usize,
    /// The length of the tag and the length octets.
    length: usize,
    /// The length of the content. `None` if it ends with an end mark.
    content: Option<usize>,
}

fn head(bytes: &[u8]) -> Option<Head> {
    let first = *bytes.first()?;
    let mut tag = 1;
    if first & 0x1f == 0x1f {
        loop {
            let more = *bytes.get(tag)? & 0x80 != 0;
            tag += 1;
            if !more {
                break;
            }
        }
    }
    let short = *bytes.get(tag)?;
    let length = tag + 1;
    if short < 0x80 {
        return Some(Head {
            tag,
            length,
            content: Some(usize::from(short)),
        });
    }
    let count = usize::from(short & 0x7f);
    if count == 0 {
        return Some(Head {
            tag,
            length,
            content: None,
        });
    }
    if count > 4 {
        return None;
    }
    let content = bytes
        .get(length..length + count)?
        .iter()
        .fold(0, |sum, octet| sum << 8 | usize::from(*octet));
    Some(Head {
        tag,
        length: length + count,
        content: Some(content),
    })
}

/// Returns the rewritten value, if it had to be rewritten, and the number of octets read.
fn rewrite(bytes: &[u8], depth: usize) -> Option<(Option<Vec<u8>>, usize)> {
    if depth > DEEPEST {
        return None;
    }
    let first = *bytes.first()?;
    let head = head(bytes)?;
    let is_constructed = first & CONSTRUCTED != 0;
    if !is_constructed {
        let end = head.length.checked_add(head.content?)?;
        return (end <= bytes.len()).then_some((None, end));
    }
    let is_string = first == OCTET_STRING | CONSTRUCTED;
    let mut content = Vec::new();
    let mut is_changed = is_string || head.content.is_none();
    let mut at = head.length;
    let end = loop {
        let rest = bytes.get(at..)?;
        match head.content {
            Some(content) if at == head.length.checked_add(content)? => break at,
            None if rest.starts_with(&[0, 0]) => break at + 2,
            _ => {}
        }
        let (rewritten, length) = rewrite(rest, depth + 1)?;
        is_changed |= rewritten.is_some();
        let value = match &rewritten {
            Some(rewritten) => rewritten.as_slice(),
            None => rest.get(..length)?,
        };
        if is_string {
            let piece = self::head(value)?;
            content.extend_from_slice(value.get(piece.length..)?);
        } else {
            content.extend_from_slice(value);
        }
        at += length;
        if head.content.is_some_and(|content| at > head.length + content) {
            return None;
        }
    };
    if !is_changed {
        return Some((None, end));
    }
    let mut value = bytes.get(..head.tag)?.to_vec();
    if is_string && let Some(tag) = value.first_mut() {
        *tag = OCTET_STRING;
    }
    write_length(&mut value, content.len());
    value.extend_from_slice(&content);
    Some((Some(value), end))
}

fn write_length(value: &mut Vec<u8>, length: usize) {
    let octets = length.to_be_bytes();
    let significant: Vec<u8> = octets.into_iter().skip_while(|octet| *octet == 0).collect();
    match (significant.as_slice(), u8::try_from(significant.len())) {
        ([], _) => value.push(0),
        ([short], _) if *short < 0x80 => value.push(*short),
        (long, Ok(count)) => {
            value.push(0x80 | count);
            value.extend_from_slice(long);
        }
        // A length has at most eight octets.
        (_, Err(_)) => {}
    }
}
