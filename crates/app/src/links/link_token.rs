//! Tokens in link addresses, which allow their holder one action on one subject.
//!
//! Tokens are not stored. A token consists of its meaning (purpose, subject, version, end) and a message authentication
//! code from the vault, so it can be created again for a reminder, and stops working when the subject's version is
//! raised. It uses only `A–Z a–z 0–9 - _`, so URL-encoding does not change it.
//!
//! Reading a token proves that we created it, not that it is still valid. The reader compares its version with the
//! subject's, and its end with the clock ([`LinkToken::is_over`]).

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{DeliveredLink, FileKind, RecipientId, Workflow};
use jiff::Timestamp;

use crate::base::error::{ConflictCode, Error, Subject};
use crate::base::vault::{Purpose, Vault};

/// The action that the holder may perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkPurpose {
    /// Fill in and sign as a recipient. The subject is the recipient. Programs, pages and members get this kind, so it
    /// does not prove that its holder receives the recipient's messages.
    Sign,
    /// Like `Sign`, but used only in messages to the recipient's own contact, so it proves that its holder has read one
    /// ([`domain::ProvedContact`]). No member may ever see it.
    SignDelivered,
    /// View the workflow as its sender, and sign if it is the sender's own turn. The subject is the workflow. Only the
    /// sender gets it.
    View,
    /// View the workflow as the sender does, without signing. Meant for the sender's colleagues. The subject is the
    /// workflow.
    Watch,
    /// Preview a workflow before it starts. The subject is a preview.
    Preview,
    /// Download the sealed document. The subject is the workflow.
    Document,
    /// Download the history certificate. The subject is the workflow.
    Certificate,
    /// Start a workflow. The subject is a public link.
    Start,
    /// Download the sealed document as a signer who enters a code first. The subject is the recipient, and the version
    /// is that of the workflow's links.
    SignersDocument,
    /// Download the history certificate in the same way.
    SignersCertificate,
}

impl LinkPurpose {
    const ALL: [LinkPurpose; 10] = [
        LinkPurpose::Sign,
        LinkPurpose::SignDelivered,
        LinkPurpose::View,
        LinkPurpose::Watch,
        LinkPurpose::Preview,
        LinkPurpose::Document,
        LinkPurpose::Certificate,
        LinkPurpose::Start,
        LinkPurpose::SignersDocument,
        LinkPurpose::SignersCertificate,
    ];

    fn byte(self) -> u8 {
        match self {
            LinkPurpose::Sign => b'S',
            LinkPurpose::SignDelivered => b'R',
            LinkPurpose::View => b'O',
            // Earlier versions gave such tokens to every member who can send, so they only allow watching.
            LinkPurpose::Watch => b'V',
            LinkPurpose::Preview => b'P',
            LinkPurpose::Document => b'D',
            LinkPurpose::Certificate => b'C',
            LinkPurpose::Start => b'L',
            LinkPurpose::SignersDocument => b'd',
            LinkPurpose::SignersCertificate => b'c',
        }
    }

    /// Returns the completed file that this kind of link opens.
    pub fn file(self) -> Option<FileKind> {
        match self {
            LinkPurpose::Document | LinkPurpose::SignersDocument => Some(FileKind::Document),
            LinkPurpose::Certificate | LinkPurpose::SignersCertificate => Some(FileKind::Certificate),
            _ => None,
        }
    }

    /// Whether this kind of link opens a file only for one signer, who enters a code first.
    pub fn is_signers_file(self) -> bool {
        matches!(self, LinkPurpose::SignersDocument | LinkPurpose::SignersCertificate)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkToken {
    /// The action that the holder may perform.
    pub purpose: LinkPurpose,
    /// The ID of the subject: a recipient or a workflow.
    pub subject: i64,
    /// The version of the subject's links when the token was created.
    pub version: u32,
    /// Time when the token expires, to the second. If `None`, it ends with its subject.
    pub expires: Option<Timestamp>,
}

/// Purpose, subject, version, and end in seconds since 1970 (0 for no end).
const CLAIM: usize = 1 + 8 + 4 + 8;
const TAG: usize = 32;
/// Length of a token as text.
pub(crate) const TOKEN_LENGTH: usize = ((CLAIM + TAG) * 8).div_ceil(6);

impl LinkToken {
    /// Returns the text for an address. It grants access, so it must never be logged.
    pub fn encode(&self, vault: &Vault) -> String {
        let claim = self.claim();
        let mut bytes = Vec::with_capacity(CLAIM + TAG);
        bytes.extend_from_slice(&claim);
        bytes.extend_from_slice(&vault.tag(Purpose::LinkToken, &claim));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a text. `None` if this installation did not create it.
    pub fn decode(text: &str, vault: &Vault) -> Option<LinkToken> {
        // Longer texts are not worth decoding.
        if text.len() > 2 * (CLAIM + TAG) {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let (claim, tag) = bytes.split_first_chunk::<CLAIM>()?;
        let token = LinkToken::claimed(claim)?;
        vault.tag_matches(Purpose::LinkToken, claim, tag).then_some(token)
    }

    /// Reads a claim without checking that we created it.
    fn claimed(claim: &[u8; CLAIM]) -> Option<LinkToken> {
        let (purpose, rest) = claim.split_first()?;
        let purpose = LinkPurpose::ALL.into_iter().find(|known| known.byte() == *purpose)?;
        let (subject, rest) = rest.split_first_chunk::<8>()?;
        let (version, rest) = rest.split_first_chunk::<4>()?;
        let end = i64::from_be_bytes(*rest.first_chunk::<8>()?);
        Some(LinkToken {
            purpose,
            subject: i64::from_be_bytes(*subject),
            version: u32::from_be_bytes(*version),
            expires: if end == 0 {
                None
            } else {
                Some(Timestamp::from_second(end).ok()?)
            },
        })
    }

    /// Whether the holder can sign as the recipient that the token names.
    pub fn signs(&self) -> bool {
        matches!(self.purpose, LinkPurpose::Sign | LinkPurpose::SignDelivered)
    }

    /// Whether the link belongs to one signer: it either signs, or asks for the signer's code and then acts in their
    /// name.
    pub fn is_signers_own(&self) -> bool {
        self.signs()
            || matches!(
                self.purpose,
                LinkPurpose::SignersDocument | LinkPurpose::SignersCertificate
            )
    }

    /// Returns what the link proves if only its recipient received it.
    pub(crate) fn delivered(&self) -> Option<DeliveredLink> {
        (self.purpose == LinkPurpose::SignDelivered).then_some(DeliveredLink {
            recipient: RecipientId(self.subject),
            version: self.version,
        })
    }

    /// Whether the token itself has expired.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }

    fn claim(&self) -> [u8; CLAIM] {
        let mut claim = [0; CLAIM];
        claim[0] = self.purpose.byte();
        claim[1..9].copy_from_slice(&self.subject.to_be_bytes());
        claim[9..13].copy_from_slice(&self.version.to_be_bytes());
        let end = self.expires.map_or(0, Timestamp::as_second);
        claim[13..].copy_from_slice(&end.to_be_bytes());
        claim
    }
}

/// Returns the recipient of a link, unless the link was replaced.
pub(crate) fn same_link(workflow: &Workflow, id: RecipientId, version: u32) -> Result<RecipientId, Error> {
    let recipient = workflow.recipient(id).ok_or(Error::NotFound(Subject::Link))?;
    if recipient.link_version == version {
        Ok(id)
    } else {
        Err(Error::conflict(ConflictCode::LinkReplaced))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::testing::CountingRandom;

    fn vault(byte: u8) -> Vault {
        Vault::new(&[byte; 32], Arc::new(CountingRandom::default()))
    }

    fn tokens() -> Vec<LinkToken> {
        let end = Timestamp::from_second(1_800_000_000).ok();
        LinkPurpose::ALL
            .into_iter()
            .flat_map(|purpose| {
                [(1, 0, None), (i64::MAX, u32::MAX, end)].map(|(subject, version, expires)| LinkToken {
                    purpose,
                    subject,
                    version,
                    expires,
                })
            })
            .collect()
    }

    #[test]
    fn a_token_reads_as_what_it_was_made_from_and_needs_no_encoding() {
        for token in tokens() {
            let text = token.encode(&vault(1));
            assert_eq!(LinkToken::decode(&text, &vault(1)), Some(token));
            assert!(
                text.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'),
                "{text}"
            );
        }
    }

    #[test]
    fn another_installation_or_any_changed_character_is_nothing() {
        for token in tokens() {
            let text = token.encode(&vault(1));
            assert_eq!(LinkToken::decode(&text, &vault(2)), None);
            for (position, character) in text.char_indices() {
                let mut changed = text.clone();
                let other = if character == 'A' { "B" } else { "A" };
                changed.replace_range(position..=position, other);
                assert_eq!(LinkToken::decode(&changed, &vault(1)), None, "character {position}");
                assert_eq!(
                    LinkToken::decode(&text[..position], &vault(1)),
                    None,
                    "length {position}"
                );
            }
            assert_eq!(LinkToken::decode(&format!("{text}A"), &vault(1)), None);
        }
        for text in ["", "서명", "a b", "%41", &"A".repeat(10_000)] {
            assert_eq!(LinkToken::decode(text, &vault(1)), None);
        }
    }

    #[test]
    fn a_token_is_over_at_its_end() {
        let end = Timestamp::from_second(1_800_000_000).unwrap();
        let token = LinkToken {
            purpose: LinkPurpose::Document,
            subject: 1,
            version: 1,
            expires: Some(end),
        };
        assert!(!token.is_over(Timestamp::from_second(1_799_999_999).unwrap()));
        assert!(token.is_over(end));
        assert!(!LinkToken { expires: None, ..token }.is_over(end));
    }
}
