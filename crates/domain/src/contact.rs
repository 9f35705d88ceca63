//! How a person is reached: an e-mail address, or a telephone number in its place.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::is_ignorable;

/// An e-mail address or a telephone number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contact {
    /// An e-mail address, as given.
    Email(String),
    /// A telephone number.
    Phone {
        /// As given; so it goes out again.
        given: String,
        /// International: `+821012345678`.
        number: String,
    },
}

/// The text is neither an e-mail address nor a telephone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither an e-mail address nor a telephone number")]
pub struct ContactFault;

/// Where national telephone numbers are at home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Region {
    /// Korea.
    #[default]
    Kr,
    /// Japan.
    Jp,
    /// The United States.
    Us,
}

impl Region {
    /// Reads the two letters.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "KR" => Some(Self::Kr),
            "JP" => Some(Self::Jp),
            "US" => Some(Self::Us),
            _ => None,
        }
    }

    /// The two letters.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Kr => "KR",
            Self::Jp => "JP",
            Self::Us => "US",
        }
    }

    const fn country_code(self) -> &'static str {
        match self {
            Self::Kr => "82",
            Self::Jp => "81",
            Self::Us => "1",
        }
    }
}

impl Contact {
    /// Reads an address or a number; national numbers are the region's.
    pub fn parse(text: &str, region: Region) -> Result<Self, ContactFault> {
        let text = text.trim();
        if text.contains('@') {
            return if is_email(text) {
                Ok(Self::Email(text.to_owned()))
            } else {
                Err(ContactFault)
            };
        }
        let number = phone_number(text, region).ok_or(ContactFault)?;
        Ok(Self::Phone {
            given: text.to_owned(),
            number,
        })
    }

    /// As it was given, and as the interface's `email` members write it.
    pub fn as_given(&self) -> &str {
        match self {
            Self::Email(address) => address,
            Self::Phone { given, .. } => given,
        }
    }

    /// The address, where it is one.
    pub fn email(&self) -> Option<&str> {
        match self {
            Self::Email(address) => Some(address),
            Self::Phone { .. } => None,
        }
    }

    /// The international number, where it is one.
    pub fn phone(&self) -> Option<&str> {
        match self {
            Self::Email(_) => None,
            Self::Phone { number, .. } => Some(number),
        }
    }

    /// So much that its owner knows it, and nobody else learns it: `k•••@example.com`, `••• 5678`.
    pub fn masked(&self) -> String {
        match self {
            Self::Email(address) => {
                let (name, host) = address.rsplit_once('@').unwrap_or((address, ""));
                let first: String = name.chars().take(1).collect();
                format!("{first}•••@{host}")
            }
            Self::Phone { number, .. } => {
                let last = number.len().saturating_sub(4);
                format!("••• {}", number.get(last..).unwrap_or_default())
            }
        }
    }

    /// Is it the same person's? Addresses compare without regard to case, numbers by digits.
    pub fn is_same(&self, other: &Self) -> bool {
        // No address begins with a plus and has no @, so the two kinds never meet.
        self.key() == other.key()
    }

    /// Equal where the contact is the same ([`Contact::is_same`]).
    pub fn key(&self) -> String {
        match self {
            Self::Email(address) => address.to_lowercase(),
            Self::Phone { number, .. } => number.clone(),
        }
    }

    /// Does this text name the same contact? Without regard to case.
    pub fn matches(&self, text: &str, region: Region) -> bool {
        Self::parse(text, region).is_ok_and(|other| self.is_same(&other))
    }
}

impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_given())
    }
}

/// The form that mail servers take (RFC 5321, RFC 6531): nothing here can end a header.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let local_good = is_quoted(local)
        || (1..=64).contains(&local.len())
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local
            .chars()
            .all(|c| !c.is_control() && !c.is_whitespace() && !is_ignorable(c) && !"<>()[],;:\\\"@".contains(c));
    let domain_good = domain.len() <= 253
        && domain.contains('.')
        && domain.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        });
    local_good && domain_good && text.len() <= 254
}

/// A local part in quotes (RFC 5321, 4.1.2), without quoted pairs and angle brackets, which nobody's address needs.
fn is_quoted(local: &str) -> bool {
    let inner = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| {
        (1..=62).contains(&inner.len()) && inner.chars().all(|c| matches!(c, ' '..='~') && !"\"\\<>".contains(c))
    })
}

fn phone_number(text: &str, region: Region) -> Option<String> {
    let (international, rest) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut digits = String::new();
    for c in rest.chars() {
        match c {
            '0'..='9' => digits.push(c),
            ' ' | '-' | '.' | '(' | ')' => {}
            _ => return None,
        }
    }
    let number = if international {
        digits
    } else {
        let national = match region {
            Region::Us => digits.strip_prefix('1').filter(|d| d.len() == 10),
            Region::Kr | Region::Jp => Some(digits.strip_prefix('0')?),
        }
        .unwrap_or(&digits);
        // A national number has eight digits or more after its trunk prefix.
        if national.len() < 8 {
            return None;
        }
        format!("{}{national}", region.country_code())
    };
    (!number.starts_with('0') && (8..=15).contains(&number.len())).then(|| format!("+{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_part_may_stand_in_quotes_as_the_standard_has_it() {
        for good in ["\"two words\"@example.com", "\"a@b\"@example.com", "\"(a),b;c:\"@example.com"] {
            assert_eq!(
                Contact::parse(good, Region::Kr),
                Ok(Contact::Email(good.to_owned())),
                "{good}"
            );
        }
        for bad in [
            "\"\"@example.com",
            "\"@example.com",
            "\"a\"b\"@example.com",
            "\"a\\\"@example.com",
            "\"a<b>\"@example.com",
            "\"a\r\nBcc: b\"@example.com",
            "\"é\"@example.com",
            "\"a\".b@example.com",
        ] {
            assert!(Contact::parse(bad, Region::Kr).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_masked_contact_is_known_by_its_owner_alone() {
        for (text, masked) in [
            ("minjun@example.com", "m•••@example.com"),
            ("김민준@예시.한국", "김•••@예시.한국"),
            ("010-1234-5678", "••• 5678"),
        ] {
            assert_eq!(Contact::parse(text, Region::Kr).unwrap().masked(), masked);
        }
    }

    #[test]
    fn addresses() {
        for text in [
            "kim@example.com",
            "a.b+c@sub.example.co.kr",
            "김민준@예시.한국",
            " kim@example.com ",
        ] {
            assert!(
                matches!(Contact::parse(text, Region::Kr), Ok(Contact::Email(_))),
                "{text}"
            );
        }
        for text in [
            "",
            "@example.com",
            "a@",
            "a@b",
            "a@@example.com",
            "a b@example.com",
            "a@exa mple.com",
            "a@example.com\r\nBcc: x@y.zz",
            ".a@example.com",
            "a..b@example.com",
            "a@-example.com",
            "a@example..com",
            "<a@example.com>",
            "a,b@example.com",
        ] {
            assert_eq!(Contact::parse(text, Region::Kr), Err(ContactFault), "{text}");
        }
    }

    #[test]
    fn telephone_numbers_are_read_in_their_region() {
        for (text, region, number) in [
            ("010-1234-5678", Region::Kr, "+821012345678"),
            ("+82 10 1234 5678", Region::Us, "+821012345678"),
            ("090 1234 5678", Region::Jp, "+819012345678"),
            ("(415) 555-2671", Region::Us, "+14155552671"),
            ("1 415 555 2671", Region::Us, "+14155552671"),
        ] {
            let contact = Contact::parse(text, region).unwrap();
            assert_eq!(contact.phone(), Some(number), "{text}");
            assert_eq!(contact.as_given(), text);
        }
        for text in ["123", "12345678901234567", "010-ABCD-5678", "+0101234567", "5551234567"] {
            assert_eq!(Contact::parse(text, Region::Kr), Err(ContactFault), "{text}");
        }
    }

    #[test]
    fn the_same_person_in_another_spelling() {
        let kim = Contact::parse("Kim@Example.com", Region::Kr).unwrap();
        assert!(kim.matches("kim@example.COM", Region::Kr));
        let phone = Contact::parse("010-1234-5678", Region::Kr).unwrap();
        assert!(phone.matches("+82 10 1234 5678", Region::Kr));
        assert!(!phone.matches("kim@example.com", Region::Kr));
    }
}
