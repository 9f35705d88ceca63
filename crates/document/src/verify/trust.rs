//! Trust and proven signing times, judged over all signatures of a file together.
//!
//! A certificate is judged at the moment at which its signature provably existed. The proof is a timestamp by an
//! authority that the verifier trusts, either of the signature itself or, added later, of the whole document. The
//! newest signature is therefore judged first, at the verifier's own time. If it is valid, everything it covers existed
//! at its time. The signature before it is judged at that time, and so on back to the first (EN 319 102-1, 5.5 and
//! 5.6). A chain of archive timestamps is valid if each was renewed before its authority's certificate expired. Without
//! a timestamp, the verifier's own time counts, never the time that a signer claims.

use domain::SealLevel;
use jiff::Timestamp;

use super::embedded::Embedded;
use super::path::{self, Pool};
use super::signature::Examined;
use super::{Fault, Note, ProvedTime, SignatureKind, TimestampReport, TrustedRoots};
use crate::pki::certificates::{Certified, MAX_POOL};
use crate::pki::revocation::{self, Revocation, RevocationData, Status};

/// Maximum time by which a claimed time may be ahead of its proof, because clocks differ.
const TOLERANCE_SECONDS: i64 = 300;

pub(super) struct Judge<'a> {
    pub(super) roots: &'a TrustedRoots,
    pub(super) embedded: &'a Embedded,
    /// Revocation data that the verifier has in addition to the file's own.
    pub(super) given: &'a RevocationData,
    pub(super) now: Timestamp,
}

/// The result of judging a signer.
struct Judged {
    fault: Option<Fault>,
    /// The subject of a certificate whose revocation status is unknown.
    unknown: Option<String>,
    /// A certificate that was revoked after the time at which it is judged.
    later: Option<(String, Revocation)>,
    /// Whether the file itself proves that no certificate on the path was revoked.
    is_proved_by_file: bool,
}

impl Judge<'_> {
    /// Judges all signatures, oldest first.
    pub(super) fn all(&self, signatures: &mut [Examined]) {
        let mut known: Option<ProvedTime> = None;
        let mut covers_store = false;
        for signature in signatures.iter_mut().rev() {
            let at = known.as_ref().map_or(self.now, |proved| proved.at);
            let proved = if signature.report.kind == SignatureKind::DocumentTimestamp {
                self.document_timestamp(signature, at)
            } else {
                self.signature(signature, known.as_ref(), covers_store)
            };
            covers_store |= signature.is_sound && signature.stamped_at.is_some() && signature.covers_validation_data;
            // Everything the newer signature covers existed before it.
            if let Some(proved) = proved
                && known.as_ref().is_none_or(|known| proved.at <= known.at)
            {
                known = Some(proved);
            }
        }
    }

    fn document_timestamp(&self, signature: &mut Examined, at: Timestamp) -> Option<ProvedTime> {
        let (Some(stamped_at), Some(signer)) = (signature.stamped_at, signature.signer.clone()) else {
            return None;
        };
        let fault = self.authority(&signer, &signature.certificates, stamped_at, at);
        let is_trusted = fault.is_none();
        signature.report.faults.extend(fault);
        let proved = ProvedTime {
            at: stamped_at,
            authority: name(&signer),
            by_document_timestamp: true,
        };
        if !is_trusted || !signature.is_sound {
            return None;
        }
        signature.report.proved_at = Some(proved.clone());
        Some(proved)
    }

    /// Returns the faults of a time-stamp authority whose timestamp existed at the moment `at`.
    fn authority(&self, signer: &[u8], certificates: &[Vec<u8>], stamped: Timestamp, at: Timestamp) -> Option<Fault> {
        if stamped.as_second() > at.as_second().saturating_add(TOLERANCE_SECONDS) {
            return Some(Fault::TimestampInvalid {
                reason: format!("its time {stamped} is after {at}, when it already existed"),
            });
        }
        self.signer(signer, certificates, &RevocationData::default(), at)
            .and_then(|judged| judged.fault)
    }

    fn signature(
        &self,
        signature: &mut Examined,
        known: Option<&ProvedTime>,
        covers_store: bool,
    ) -> Option<ProvedTime> {
        let at = known.map_or(self.now, |proved| proved.at);
        let mut proved = known.cloned();
        for token in std::mem::take(&mut signature.tokens) {
            let fault = self.authority(&token.signer, &token.certificates, token.at, at);
            if fault.is_none() && proved.as_ref().is_none_or(|proved| token.at < proved.at) {
                proved = Some(ProvedTime {
                    at: token.at,
                    authority: name(&token.signer),
                    by_document_timestamp: false,
                });
            }
            signature.report.timestamps.push(TimestampReport {
                at: token.at,
                authority: Certified::parse(&token.signer).and_then(|signer| signer.identity()),
                fault,
            });
        }
        let is_pades = signature.is_pades();
        let is_right = |timestamp: &TimestampReport| timestamp.fault.as_ref().is_none_or(Fault::concerns_trust);
        let has_time = signature.report.timestamps.iter().any(is_right) || known.is_some();
        let report = &mut signature.report;
        let judged_at = proved.as_ref().map_or(self.now, |proved| proved.at);
        if let Some(claimed) = report.claimed_at
            && claimed.as_second() > judged_at.as_second().saturating_add(TOLERANCE_SECONDS)
        {
            report.notes.push(Note::ClaimedTimeContradicted);
        }
        let signer = signature.signer.as_deref()?;
        let mut judged = self.signer(signer, &signature.certificates, &signature.revocation, judged_at);
        if let Some(judged) = &mut judged
            && let Some(signer) = Certified::parse(signer)
            && judged.fault.is_none()
        {
            judged.fault = path::may_sign_documents(&signer).err();
        }
        let mut is_proved_by_file = false;
        if let Some(judged) = judged {
            is_proved_by_file = judged.is_proved_by_file && judged.fault.is_none();
            if let Some(Fault::CertificateExpired { subject, not_after }) = &judged.fault
                && report.claimed_at.is_some_and(|claimed| claimed <= *not_after)
            {
                report.notes.push(Note::ValidWhenClaimed {
                    subject: subject.clone(),
                });
            }
            report.faults.extend(judged.fault);
            if let Some((subject, Revocation { since, reason })) = judged.later {
                report.notes.push(Note::RevokedLater { subject, since, reason });
            }
            if let Some(subject) = judged.unknown {
                report.notes.push(Note::RevocationUnknown { subject });
            }
        }
        if let Some(signer) = &report.signer
            && let Some(claimed) = report.claimed_at
            && !(signer.not_before..=signer.not_after).contains(&claimed)
        {
            report.notes.push(Note::ClaimedTimeOutsideCertificate);
        }
        if proved.is_none() {
            report.notes.push(Note::TimeNotProved);
        }
        if signature.is_sound && is_pades {
            report.level = Some(match (has_time, is_proved_by_file && self.embedded.is_present) {
                (true, true) if covers_store => SealLevel::Archive,
                (true, true) => SealLevel::LongTerm,
                (true, false) => SealLevel::Timestamp,
                (false, _) => SealLevel::Basic,
            });
        }
        report.proved_at.clone_from(&proved);
        // We do not know what the timestamp of an unsound signature covers.
        proved.filter(|_| signature.is_sound)
    }

    /// Checks whether a signer is trusted and not revoked at a given moment.
    fn signer(&self, der: &[u8], certificates: &[Vec<u8>], own: &RevocationData, at: Timestamp) -> Option<Judged> {
        let signer = Certified::parse(der)?;
        // Junk next to the signature's own certificates must not hide validation data.
        let others = certificates.iter().take(MAX_POOL).chain(&self.embedded.certificates);
        let pool = Pool::new(self.roots, others.map(Vec::as_slice));
        let path = match pool.path(&signer, at) {
            Ok(path) => path,
            Err(fault) => {
                return Some(Judged {
                    fault: Some(fault),
                    unknown: None,
                    later: None,
                    is_proved_by_file: false,
                });
            }
        };
        let mut in_file = self.embedded.revocation.clone();
        in_file.extend(own.clone());
        let mut all = self.given.clone();
        all.extend(in_file.clone());
        let mut judged = Judged {
            fault: None,
            unknown: None,
            later: None,
            is_proved_by_file: true,
        };
        for pair in path.windows(2) {
            let [certificate, issuer] = pair else { continue };
            let status =
                |data: &RevocationData| revocation::status(certificate, issuer, pool.others(), data, (at, self.now));
            match status(&all) {
                Status::Revoked(Revocation { since, reason }) => {
                    judged.fault = Some(Fault::CertificateRevoked {
                        subject: certificate.subject(),
                        since,
                        reason,
                    });
                    return Some(judged);
                }
                Status::Unknown => {
                    judged.is_proved_by_file = false;
                    judged.unknown.get_or_insert_with(|| certificate.subject());
                }
                Status::Good => judged.is_proved_by_file &= status(&in_file) == Status::Good,
            }
            if at < self.now
                && let Status::Revoked(revocation) =
                    revocation::status(certificate, issuer, pool.others(), &all, (self.now, self.now))
            {
                judged.later.get_or_insert_with(|| (certificate.subject(), revocation));
            }
        }
        Some(judged)
    }
}

/// Returns the common name.
fn name(certificate: &[u8]) -> String {
    Certified::parse(certificate)
        .and_then(|certificate| certificate.identity())
        .map(|identity| identity.common_name.unwrap_or(identity.subject))
        .unwrap_or_default()
}
