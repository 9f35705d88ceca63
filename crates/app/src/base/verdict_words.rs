//! The verdict on a signed PDF in plain words: who signed, when, what is proved and what is not, what came after.
//!
//! The same words serve the verify page, the API and the command line, in each language. Nothing is judged here: the words
//! say what [`Verdict`] says. The zone of all times is named once, and a time with another offset from UTC says so.

use document::pki::revocation::{Revocation, RevocationReason};
use document::verify::{Change, Fault, FieldLock, Note, Rules, SignatureKind, SignatureReport, Verdict};
use domain::{Language, Zone};
use jiff::Timestamp;
use serde::Serialize;

/// Maximum number of changes listed per signature.
const MOST_CHANGES: usize = 20;

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every signature is valid.
    Holds,
    /// The file is unchanged, but no trusted party vouches for the signer.
    SignerUnknown,
    /// The file is unchanged, but a certificate was revoked, and nothing proves that its signature is older.
    Revoked,
    /// The file was changed, or a signature is invalid.
    DoesNotHold,
    /// The file has no signature.
    Unsigned,
    /// The file cannot be read.
    Unreadable,
    /// Reading the file takes too much time or memory.
    TooDemanding,
}

impl Outcome {
    /// Returns the outcome of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        let is_unreadable = |fault: &Fault| matches!(fault, Fault::Unreadable { .. } | Fault::Encrypted);
        let are_only = |is_such: fn(&Fault) -> bool| verdict.faults.iter().all(is_such);
        if verdict.holds() {
            Self::Holds
        } else if verdict.faults.contains(&Fault::TooDemanding) {
            Self::TooDemanding
        } else if verdict.faults.iter().any(is_unreadable) {
            Self::Unreadable
        } else if verdict.signatures.is_empty() && are_only(|fault| matches!(fault, Fault::NoSignature)) {
            Self::Unsigned
        } else if verdict.faults.is_empty() && verdict.signatures.iter().all(SignatureReport::is_intact) {
            if revocation(verdict).is_some() {
                Self::Revoked
            } else {
                Self::SignerUnknown
            }
        } else {
            Self::DoesNotHold
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Holds => "verify-result-good",
            Self::SignerUnknown => "verify-result-unknown",
            Self::Revoked => "verify-result-revoked",
            Self::DoesNotHold => "verify-result-bad",
            Self::Unsigned => "verify-result-unsigned",
            Self::Unreadable => "verify-result-unreadable",
            Self::TooDemanding => "verify-result-too-demanding",
        }
    }
}

/// Returns the revocation that makes the file invalid: that of the newest affected signature.
fn revocation(verdict: &Verdict) -> Option<Revocation> {
    let by_somebody = verdict
        .signatures
        .iter()
        .filter(|signature| signature.kind != SignatureKind::DocumentTimestamp);
    by_somebody.rev().find_map(SignatureReport::revocation)
}

/// The verdict on one signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The signature is valid.
    Valid,
    /// The signature is intact, but the signer's identity is not confirmed.
    SignerUnknown,
    /// The signature is intact, but the signer's certificate had been revoked.
    Revoked,
    NotValid,
}

impl Standing {
    /// Returns the verdict on a signature.
    pub fn of(signature: &SignatureReport) -> Self {
        if signature.faults.is_empty() {
            Self::Valid
        } else if signature.is_intact() {
            match signature.revocation() {
                Some(_) => Self::Revoked,
                None => Self::SignerUnknown,
            }
        } else {
            Self::NotValid
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Valid => "verify-state-valid",
            Self::SignerUnknown => "verify-state-unknown",
            Self::Revoked => "verify-state-revoked",
            Self::NotValid => "verify-state-invalid",
        }
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct VerdictWords {
    /// The verdict in one word, for programs.
    pub outcome: Outcome,
    /// The verdict in one line.
    pub title: String,
    pub text: String,
    pub signatures: Vec<SignatureWords>,
    /// Problems with the file as a whole.
    pub problems: Vec<String>,
    /// The zone of the times. `None` if no signature says when it was made; then each time names its own.
    pub times: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SignatureWords {
    /// Kind and field of the signature.
    pub title: String,
    /// The verdict, for programs.
    pub standing: Standing,
    /// The verdict in words.
    pub state: String,
    /// Details such as signer, time and place.
    pub facts: Vec<Fact>,
    pub problems: Vec<String>,
    /// Facts that are not proved, although nothing is wrong.
    pub not_proved: Vec<String>,
    /// Later changes that the signature permits.
    pub later: Vec<String>,
}

/// A line of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub label: String,
    /// The detail's value.
    pub value: String,
}

/// Describes the verdict in this language, with times in this zone.
pub fn verdict_words(language: Language, zone: Zone, verdict: &Verdict) -> VerdictWords {
    let named_at = verdict.signatures.iter().rev().find_map(|signature| {
        let proved = signature.proved_at.as_ref().map(|proved| proved.at);
        proved.or(signature.claimed_at)
    });
    let words = Words {
        language,
        zone,
        named_at,
    };
    let outcome = Outcome::of(verdict);
    let text = format!("{}-text", outcome.key());
    VerdictWords {
        outcome,
        title: words.say(outcome.key()),
        text: match revocation(verdict).filter(|_| outcome == Outcome::Revoked) {
            Some(revocation) => words.revoked(&text, "", revocation),
            None => words.say(&text),
        },
        signatures: verdict
            .signatures
            .iter()
            .map(|signature| words.signature(signature, verdict.length))
            .collect(),
        problems: verdict.faults.iter().flat_map(|fault| words.problem(fault)).collect(),
        times: named_at.map(|at| words.say_with("verify-times", &[("zone", &zone.label(at))])),
    }
}

/// Describes a fault of a file in full. Times are in UTC because the reader's zone is not known here.
pub(in crate::base) fn fault_words(language: Language, fault: &Fault) -> String {
    let zone = Zone::UTC;
    let words = Words {
        language,
        zone,
        named_at: None,
    };
    words.problem(fault).join(" ")
}

struct Words {
    language: Language,
    zone: Zone,
    /// The moment for whose offset from UTC the zone is named elsewhere.
    named_at: Option<Timestamp>,
}

impl Words {
    fn say(&self, key: &str) -> String {
        self.say_with(key, &[])
    }

    fn say_with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        i18n::text(self.language, key, arguments)
    }

    fn moment(&self, at: Timestamp) -> String {
        let (language, zone) = (self.language, self.zone);
        if self.named_at.is_some_and(|named| zone.offset(named) == zone.offset(at)) {
            i18n::local_date_time(language, at, zone)
        } else {
            i18n::date_time(language, at, zone)
        }
    }

    /// Formats a message that names a revocation.
    fn revoked(&self, key: &str, subject: &str, Revocation { since, reason }: Revocation) -> String {
        let reason = self.say(match reason {
            RevocationReason::Unspecified => "verify-revoked-unspecified",
            RevocationReason::KeyCompromise => "verify-revoked-key-compromise",
            RevocationReason::Superseded => "verify-revoked-superseded",
            RevocationReason::CessationOfOperation => "verify-revoked-cessation",
        });
        let at = self.moment(since);
        self.say_with(key, &[("subject", subject), ("at", &at), ("reason", &reason)])
    }

    fn signature(&self, signature: &SignatureReport, length: u64) -> SignatureWords {
        let standing = Standing::of(signature);
        let kind = match signature.kind {
            SignatureKind::Certification { .. } => "verify-kind-certification",
            SignatureKind::Approval => "verify-kind-approval",
            SignatureKind::DocumentTimestamp => "verify-kind-timestamp",
        };
        let mut not_proved: Vec<String> = signature.notes.iter().filter_map(|note| self.note(note)).collect();
        not_proved.extend(signature.timestamps.iter().filter_map(|timestamp| {
            let fault = self.problem(timestamp.fault.as_ref()?).join(" ");
            let at = self.moment(timestamp.at);
            Some(self.say_with("verify-note-timestamp", &[("at", &at), ("fault", &fault)]))
        }));
        SignatureWords {
            title: self.say_with(kind, &[("field", &signature.field)]),
            standing,
            state: self.say(standing.key()),
            facts: self.facts(signature, length),
            problems: signature.faults.iter().flat_map(|fault| self.problem(fault)).collect(),
            not_proved,
            later: self.changes(&signature.later),
        }
    }

    fn facts(&self, signature: &SignatureReport, length: u64) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut fact = |key: &str, value: Option<String>| {
            facts.extend(value.filter(|value| !value.is_empty()).map(|value| Fact {
                label: self.say(key),
                value,
            }));
        };
        let is_timestamp = signature.kind == SignatureKind::DocumentTimestamp;
        let signer = signature.signer.as_ref().map(|signer| {
            let name = signer.common_name.as_ref().unwrap_or(&signer.subject);
            match &signer.organization {
                Some(organization) if organization != name => format!("{name} ({organization})"),
                _ => name.clone(),
            }
        });
        let who = if is_timestamp {
            "verify-fact-authority"
        } else {
            "verify-fact-signer"
        };
        fact(who, signer);
        fact(
            "verify-fact-issuer",
            signature.signer.as_ref().map(|signer| signer.issuer.clone()),
        );
        fact(
            "verify-fact-proved",
            signature.proved_at.as_ref().map(|proved| {
                let key = if proved.by_document_timestamp {
                    "verify-time-proved-later"
                } else {
                    "verify-time-proved"
                };
                self.say_with(
                    key,
                    &[("at", &self.moment(proved.at)), ("authority", &proved.authority)],
                )
            }),
        );
        fact(
            "verify-fact-claimed",
            signature
                .claimed_at
                .filter(|_| !is_timestamp)
                .map(|at| self.say_with("verify-time-claimed", &[("at", &self.moment(at))])),
        );
        fact(
            "verify-fact-revoked",
            signature
                .later_revocation()
                .map(|revocation| self.revoked("verify-revoked-later", "", revocation)),
        );
        fact(
            "verify-fact-level",
            signature
                .level
                .map(|level| self.say(&format!("verify-level-{}", level.code().to_ascii_lowercase()))),
        );
        fact("verify-fact-reason", signature.reason.clone());
        fact("verify-fact-location", signature.location.clone());
        fact(
            "verify-fact-covers",
            Some(if signature.covered == length {
                self.say("verify-covers-all")
            } else {
                let (covered, length) = (signature.covered.to_string(), length.to_string());
                self.say_with("verify-covers-part", &[("covered", &covered), ("length", &length)])
            }),
        );
        if !is_timestamp {
            fact("verify-fact-permits", Some(self.permits(&signature.permits)));
        }
        facts
    }

    fn permits(&self, rules: &Rules) -> String {
        let level = match rules.level {
            0 | 1 => "verify-permits-1",
            2 => "verify-permits-2",
            _ => "verify-permits-3",
        };
        let mut permits = vec![self.say(level)];
        if rules.level >= 2 {
            permits.extend(rules.locks.iter().map(|lock| match lock {
                FieldLock::All => self.say("verify-locks-all"),
                FieldLock::Include(fields) => self.say_with("verify-locks-include", &[("fields", &fields.join(", "))]),
                FieldLock::Exclude(fields) => self.say_with("verify-locks-exclude", &[("fields", &fields.join(", "))]),
            }));
        }
        permits.dedup();
        permits.join(" ")
    }

    /// Returns a note on something unproved. A later revocation only matters if someone else may have the key.
    fn note(&self, note: &Note) -> Option<String> {
        Some(match note {
            Note::IsTest => self.say("verify-note-test"),
            Note::TimeNotProved => self.say("verify-note-time"),
            Note::ClaimedTimeContradicted => self.say("verify-note-contradicted"),
            Note::ClaimedTimeOutsideCertificate => self.say("verify-note-outside"),
            Note::ValidWhenClaimed { subject } => {
                self.say_with("verify-note-valid-when-claimed", &[("subject", subject)])
            }
            Note::RevokedLater { subject, reason, .. } => {
                (*reason == RevocationReason::KeyCompromise).then_some(())?;
                self.say_with("verify-note-key-compromise", &[("subject", subject)])
            }
            Note::RevocationUnknown { subject } => self.say_with("verify-note-revocation", &[("subject", subject)]),
        })
    }

    /// Describes a fault: one sentence for the fault, and one for each change.
    fn problem(&self, fault: &Fault) -> Vec<String> {
        let plain = |key: &str| vec![self.say(key)];
        let of = |key: &str, subject: &str| vec![self.say_with(key, &[("subject", subject)])];
        let since = |key: &str, subject: &str, at: Timestamp| {
            vec![self.say_with(key, &[("subject", subject), ("at", &self.moment(at))])]
        };
        match fault {
            Fault::Unreadable { .. } => plain("verify-fault-unreadable"),
            Fault::TooDemanding => plain("verify-fault-too-demanding"),
            Fault::DamagedStructure { .. } => plain("verify-fault-damaged"),
            Fault::ForgedReferences { .. } => plain("verify-fault-forged"),
            Fault::Encrypted => plain("verify-fault-encrypted"),
            Fault::NoSignature => plain("verify-fault-unsigned"),
            Fault::TooManySignatures { .. } => plain("verify-fault-too-many"),
            Fault::TooMuchValidationData => plain("verify-fault-too-much-validation-data"),
            Fault::NotInItsRevision => plain("verify-fault-copy"),
            Fault::FieldRemoved { .. } => plain("verify-fault-field-removed"),
            Fault::NotCoveredToEnd { .. } => plain("verify-fault-not-covered"),
            Fault::ByteRange { .. } | Fault::GapIsNotValue => plain("verify-fault-byte-range"),
            Fault::UnreadableValue { .. } => plain("verify-fault-malformed"),
            Fault::UnsupportedFormat { name } => {
                vec![self.say_with("verify-fault-format", &[("name", name)])]
            }
            Fault::UnsupportedAlgorithm { name } => {
                vec![self.say_with("verify-fault-unsupported", &[("name", name)])]
            }
            Fault::WeakAlgorithm { name } => vec![self.say_with("verify-fault-weak", &[("name", name)])],
            Fault::DigestMismatch => plain("verify-fault-digest"),
            Fault::SignatureMismatch => plain("verify-fault-signature"),
            Fault::SignerCertificateMissing | Fault::SigningCertificateMismatch | Fault::SigningCertificateMissing => {
                plain("verify-fault-certificate")
            }
            Fault::UntrustedSigner { subject, .. } => of("verify-fault-untrusted", subject),
            Fault::CertificateExpired { subject, not_after } => since("verify-fault-expired", subject, *not_after),
            Fault::CertificateNotYetValid { subject, not_before } => {
                since("verify-fault-not-yet", subject, *not_before)
            }
            Fault::CertificateUnusable { subject, .. } => of("verify-fault-unusable", subject),
            Fault::CertificateRevoked { subject, since, reason } => {
                let (since, reason) = (*since, *reason);
                vec![self.revoked("verify-fault-revoked", subject, Revocation { since, reason })]
            }
            Fault::TimestampInvalid { .. } => plain("verify-fault-timestamp"),
            Fault::ChangedAfterSigning { changes } => {
                let mut problems = plain("verify-fault-changed");
                problems.extend(self.changes(changes));
                problems
            }
            Fault::CertificationNotFirst => plain("verify-fault-order"),
        }
    }

    fn changes(&self, changes: &[Change]) -> Vec<String> {
        let mut lines: Vec<String> = changes
            .iter()
            .take(MOST_CHANGES)
            .map(|change| self.change(change))
            .collect();
        lines.dedup();
        if let Some(more) = changes.len().checked_sub(MOST_CHANGES).filter(|more| *more > 0) {
            lines.push(self.say_with("verify-changes-more", &[("count", &more.to_string())]));
        }
        lines
    }

    fn change(&self, change: &Change) -> String {
        let what = self.say(&format!("verify-part-{}", name(&change.part)));
        let mut places = Vec::new();
        if let Some(page) = change.page {
            places.push(self.say_with("verify-place-page", &[("page", &page.to_string())]));
        }
        if let Some(field) = change.field.as_deref().filter(|field| !field.is_empty()) {
            places.push(self.say_with("verify-place-field", &[("field", field)]));
        }
        if places.is_empty()
            && let Some(entry) = &change.entry
        {
            places.push(format!("/{entry}"));
        }
        let key = format!("verify-how-{}", name(&change.how));
        if places.is_empty() {
            return self.say_with(&key, &[("what", &what)]);
        }
        let place = places.join(", ");
        let what = self.say_with("verify-what-where", &[("what", &what), ("place", &place)]);
        self.say_with(&key, &[("what", &what)])
    }
}

/// Returns the serialised name of a part or a kind of change, for use in a message key.
fn name(value: &impl Serialize) -> String {
    let written = serde_json::to_value(value).unwrap_or_default();
    written.as_str().unwrap_or_default().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use document::verify::{How, Part};

    use super::*;

    #[test]
    fn every_change_has_words() {
        let parts = [
            Part::Structure,
            Part::Catalog,
            Part::Pages,
            Part::Page,
            Part::Content,
            Part::Resources,
            Part::Font,
            Part::Picture,
            Part::Annotation,
            Part::Form,
            Part::Field,
            Part::Signature,
            Part::Timestamp,
            Part::ValidationData,
            Part::Script,
            Part::EmbeddedFile,
            Part::OptionalContent,
            Part::Outline,
            Part::Metadata,
            Part::Other,
        ];
        let ways = [
            How::Changed,
            How::Added,
            How::AddedVisibly,
            How::Removed,
            How::FilledIn,
            How::Revealed,
            How::Unreadable,
        ];
        for language in [Language::Ko, Language::En, Language::Ja] {
            let words = Words {
                language,
                zone: Zone::UTC,
                named_at: None,
            };
            for part in parts {
                for how in ways {
                    let said = words.change(&Change {
                        part,
                        how,
                        page: Some(2),
                        field: Some("이름".to_owned()),
                        object: 7,
                        entry: None,
                    });
                    assert!(!said.contains("verify-"), "{said}");
                    assert!(said.contains('2') && said.contains("이름"), "{said}");
                }
            }
            for level in ["b-b", "b-t", "b-lt", "b-lta"] {
                assert!(i18n::has(language, &format!("verify-level-{level}")));
            }
        }
    }
}
