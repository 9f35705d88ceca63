//! Proves that the certificates of a file's signatures are valid, from the root's own revocation list and from the
//! sources that other certificates name (RFC 5280, 4.2.1.13 and 4.2.2.1). Responses are fetched and cached in this
//! process until they are stale.
//!
//! Every response is checked against the certificate's issuer ([`document::pki::revocation`]), so no list or response
//! of another issuer or time is embedded. The addresses come from strangers. A caller who waits for a seal therefore
//! waits for all of them together no longer than their [`Patience`], and an unresponsive one is not queried again for a
//! while. The amount of data is limited as well, for one file and for the cache.
//!
//! If a certificate was revoked after its signature is known to have existed, the response is as good a proof as for a
//! valid certificate: a signature counts if a timestamp is older than the revocation (ETSI EN 319 102-1, 5.5.4). The
//! response is embedded, so a verifier sees the revocation and its time.
//!
//! Missing proofs of other parties' certificates are left out. Missing proofs of our own determine the level of the
//! seal. A source that did not respond is queried again later. If a certificate names no source or is revoked, waiting
//! does not help.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use document::pki::keys::{certificates_from_pem, certificates_of_issuers};
use document::pki::revocation::{self, RevocationError, SourceAddress, Sources, Validity};
use document::sealing::validation_data::{Chain, Evidence, ValidationData};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use crate::App;
use crate::base::error::Error;
use crate::base::network::{NetworkFault, Patience};

/// Hours for which a fetched proof is used if it does not state its validity.
const FRESH_HOURS: i64 = 1;
/// Maximum hours for which a fetched proof is used.
const LONGEST_KEPT_HOURS: i64 = 24;
/// Minutes before a source that failed to prove a certificate valid is queried again.
const SILENT_MINUTES: i64 = 2;
/// Maximum number of cached responses. Beyond that, all are fetched again.
const MOST_KEPT: usize = 512;
/// Maximum size of the cached responses, in bytes.
const MOST_BYTES_KEPT: usize = 64 * 1024 * 1024;
/// Maximum number of bytes fetched for one file.
const MOST_BYTES_ADDED: usize = 24 * 1024 * 1024;
/// Maximum number of bytes including those that the file already contains. Verifiers stop reading beyond that.
const MOST_BYTES_HELD: usize = 48 * 1024 * 1024;
/// Maximum length of a chain of issuers.
const LONGEST_CHAIN: usize = 6;
/// Number of chains that are checked at the same time.
const MOST_AT_ONCE: usize = 8;

/// Cached responses about certificates while they are fresh, or the reason why there was none.
#[derive(Default)]
pub(crate) struct KeptProofs(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: HashMap<(Question, [u8; 32]), Answer>,
    bytes: usize,
}

/// A result, and the time until which it is used.
type Answer = (Result<Found, Unproved>, Timestamp);

/// The result for a certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Found {
    data: ValidationData,
    /// The source that reported the revocation, and the time when it took effect.
    revoked: Option<(String, Timestamp)>,
    /// Time until which the response is valid, if it states one.
    until: Option<Timestamp>,
}

/// A question about a certificate, which is identified by its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    IsGood,
    Issuer,
}

/// Reason why a certificate cannot be proved valid at the moment.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Unproved {
    #[error(transparent)]
    Silent(#[from] NetworkFault),
    #[error("{url}: {reason}")]
    Unusable { url: String, reason: String },
    #[error("{url}: the certificate has been revoked since {since}")]
    Revoked { url: String, since: Timestamp },
    #[error("a certificate cannot be read: {0}")]
    Unreadable(String),
    #[error("{0}: not asked, because no time was left")]
    OutOfTime(SourceAddress),
}

/// Reason why a whole chain is not proved.
pub(crate) enum ChainFault {
    Unproved(Unproved),
    Always(Error),
}

impl From<Unproved> for ChainFault {
    fn from(fault: Unproved) -> Self {
        Self::Unproved(fault)
    }
}

impl From<Error> for ChainFault {
    fn from(error: Error) -> Self {
        Self::Always(error)
    }
}

/// The results for one chain of certificates.
#[derive(Default)]
pub(crate) struct ProvedChain {
    pub(crate) data: ValidationData,
    /// Whether the chain ends in a root.
    pub(crate) ends_in_root: bool,
    /// Whether a certificate names no source of proof.
    pub(crate) lacks_source: bool,
}

impl ProvedChain {
    /// Whether everything that a verifier needs is present.
    fn is_whole(&self) -> bool {
        self.ends_in_root && !self.lacks_source
    }
}

/// Which of our own chains must be proved now. Missing proofs of other chains are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needed {
    /// All chains, because none was proved before.
    All,
    /// The chain of the newest timestamp. Earlier ones were proved when they were added, and their sources may no
    /// longer exist.
    Newest,
}

/// The results for several chains.
pub(crate) struct Proofs {
    pub(crate) data: ValidationData,
    /// Whether a proof for our own seal is permanently unavailable, so that the file stays at level B-T.
    pub(crate) lacks_own: bool,
    /// A revoked certificate of our own, if there is one.
    pub(crate) revoked: Option<Unproved>,
    /// Whether a proof for another party's earlier signature is unavailable at the moment.
    pub(crate) lacks_others: bool,
}

impl App {
    /// Returns the certificates of the given evidence, and everything that proves them valid. If a stranger's responder
    /// no longer exists, its response is left out, so that it does not delay our seal.
    pub(crate) fn proofs(
        &self,
        evidence: &Evidence,
        needed: Needed,
        patience: &Patience,
    ) -> Result<Proofs, ChainFault> {
        let mut proofs = Proofs {
            data: ValidationData::default(),
            lacks_own: false,
            revoked: None,
            lacks_others: false,
        };
        let mut room = MOST_BYTES_ADDED.min(MOST_BYTES_HELD.saturating_sub(evidence.held_bytes));
        let newest = evidence.chains.iter().rposition(|chain| chain.is_own);
        // Ours come first, with the newest in front, because the seal cannot have this level without them. If there is
        // no room for all proofs, those of others are left out.
        let mut chains: Vec<(bool, &Chain)> = (0..)
            .zip(&evidence.chains)
            .map(|(index, chain)| (Some(index) == newest, chain))
            .collect();
        chains.sort_by_key(|(is_newest, chain)| (!is_newest, !chain.is_own));
        for some in chains.chunks(MOST_AT_ONCE) {
            for ((is_newest, chain), found) in some.iter().zip(self.proofs_of_chains(some, patience)) {
                let is_needed = chain.is_own && (needed == Needed::All || *is_newest);
                match found {
                    Ok(found) => {
                        let is_whole = found.is_whole();
                        let fits = proofs.data.extend_within(found.data, &mut room);
                        if !fits {
                            tracing::warn!(
                                is_own = chain.is_own,
                                "the proof that a certificate is valid was too large for the file"
                            );
                        }
                        proofs.lacks_own |= is_needed && !(is_whole && fits);
                        proofs.lacks_others |= !chain.is_own && !fits;
                    }
                    Err(ChainFault::Unproved(fault)) if !chain.is_own => {
                        tracing::info!(%fault, "the certificate of an earlier signature could not be proved valid");
                        proofs.lacks_others = true;
                    }
                    Err(ChainFault::Unproved(fault @ Unproved::Revoked { .. })) => {
                        tracing::error!(%fault, "a certificate of a seal or of its timestamps was revoked");
                        proofs.lacks_own |= is_needed;
                        proofs.revoked = Some(fault);
                    }
                    Err(ChainFault::Unproved(fault)) if !is_needed => {
                        tracing::info!(%fault, "no newer proof was available for a certificate that was proved valid before");
                    }
                    Err(fault) => return Err(fault),
                }
            }
        }
        Ok(proofs)
    }

    /// Fetches proofs for several chains at the same time.
    fn proofs_of_chains(&self, chains: &[(bool, &Chain)], patience: &Patience) -> Vec<Result<ProvedChain, ChainFault>> {
        let panicked = |_| Err(Error::internal("asking about certificates", "the thread panicked").into());
        std::thread::scope(|scope| {
            let asked: Vec<_> = chains
                .iter()
                .map(|(_, chain)| scope.spawn(|| self.proofs_of_chain(&chain.certificates, chain.existed_at, patience)))
                .collect();
            asked
                .into_iter()
                .map(|asked| asked.join().unwrap_or_else(panicked))
                .collect()
        })
    }

    /// Returns the proofs for the certificates of one chain, from the first one to its root: for the current time, or
    /// for the time when their signature is known to have existed.
    pub(in crate::sealing) fn proofs_of_chain(
        &self,
        certificates: &[Vec<u8>],
        existed_at: Option<Timestamp>,
        patience: &Patience,
    ) -> Result<ProvedChain, ChainFault> {
        let root = certificates_from_pem(&self.root_certificate()?)
            .map_err(|error| Error::internal("reading the installation's root certificate", error))?;
        let mut chain = ProvedChain::default();
        let Some(mut current) = certificates.first().cloned() else {
            return Ok(chain);
        };
        for _ in 0..LONGEST_CHAIN {
            if !chain.data.certificates.contains(&current) {
                chain.data.certificates.push(current.clone());
            }
            if revocation::is_self_issued(&current) {
                chain.ends_in_root = true;
                break;
            }
            let known = certificates
                .iter()
                .chain(&root)
                .find(|candidate| revocation::is_issued_by(&current, candidate))
                .cloned();
            let issuer = match known {
                Some(issuer) => Some(issuer),
                None => self.fetched_issuer(&current, patience)?,
            };
            // Without the issuer we cannot check more, but a verifier may know the issuer.
            let Some(issuer) = issuer else { break };
            if root.contains(&issuer) {
                chain.data.extend(ValidationData {
                    revocation_lists: vec![self.revocation_list()?],
                    ..ValidationData::default()
                });
            } else {
                let proof = self.proof(&current, &issuer, existed_at, patience)?;
                chain.lacks_source |= proof == ValidationData::default();
                chain.data.extend(proof);
            }
            current = issuer;
        }
        Ok(chain)
    }

    /// Returns the proof of one certificate from the source that it names: OCSP, otherwise a list. `None` if it names
    /// neither.
    fn proof(
        &self,
        certificate: &[u8],
        issuer: &[u8],
        existed_at: Option<Timestamp>,
        patience: &Patience,
    ) -> Result<ValidationData, Unproved> {
        let found = self.answer(Question::IsGood, certificate, |sources| {
            self.asked(sources, certificate, issuer, patience)
        })?;
        match found.revoked {
            Some((url, since)) if existed_at.is_none_or(|at| at >= since) => Err(Unproved::Revoked { url, since }),
            _ => Ok(found.data),
        }
    }

    /// Returns the cached response, or a new one.
    fn answer(
        &self,
        question: Question,
        certificate: &[u8],
        ask: impl FnOnce(&Sources) -> Result<Found, Unproved>,
    ) -> Result<Found, Unproved> {
        let key = (question, Sha256::digest(certificate).into());
        let now = self.now();
        if let Some((kept, until)) = self.kept_proofs().answers.get(&key)
            && *until > now
        {
            return kept.clone();
        }
        let sources = Sources::of(certificate).map_err(|error| Unproved::Unreadable(error.to_string()))?;
        let later = |duration| now.saturating_add(duration).unwrap_or(now);
        let (answer, until) = match ask(&sources) {
            Ok(found) => {
                let most = later(SignedDuration::from_hours(LONGEST_KEPT_HOURS));
                let until = found.until.unwrap_or(later(SignedDuration::from_hours(FRESH_HOURS)));
                (Ok(found), until.min(most))
            }
            // No request has failed yet, so this is not cached.
            Err(fault @ Unproved::OutOfTime(_)) => return Err(fault),
            Err(fault) => (Err(fault), later(SignedDuration::from_mins(SILENT_MINUTES))),
        };
        self.kept_proofs().keep(key, (answer.clone(), until));
        answer
    }

    /// Queries one source after another until one proves that the certificate is valid.
    fn asked(
        &self,
        sources: &Sources,
        certificate: &[u8],
        issuer: &[u8],
        patience: &Patience,
    ) -> Result<Found, Unproved> {
        let mut last = None;
        let answers = sources
            .responders
            .iter()
            .map(|source| self.by_responder(source, certificate, issuer, patience));
        let lists = sources
            .lists
            .iter()
            .map(|source| self.by_list(source, certificate, issuer, patience));
        for found in answers.chain(lists) {
            match found {
                // A revocation takes effect even if an older list does not mention it.
                Ok(found) => return Ok(found),
                // The fault of a source that was queried is more useful.
                Err(Unproved::OutOfTime(_)) if last.is_some() => {}
                Err(fault) => last = Some(fault),
            }
        }
        last.map_or_else(|| Ok(Found::default()), Err)
    }

    fn by_responder(
        &self,
        source: &SourceAddress,
        certificate: &[u8],
        issuer: &[u8],
        patience: &Patience,
    ) -> Result<Found, Unproved> {
        let unusable = |error| unusable(source, &error);
        let within = patience.for_one().ok_or_else(|| Unproved::OutOfTime(source.clone()))?;
        let question = revocation::ocsp_request(certificate, issuer).map_err(unusable)?;
        let response = self
            .network
            .ask(source, revocation::OCSP_REQUEST_MEDIA_TYPE, question, within)?;
        let checked = revocation::check_answer(&response, certificate, issuer, self.now());
        let data = ValidationData {
            ocsp_responses: vec![response],
            ..ValidationData::default()
        };
        self.found(source, data, checked)
    }

    fn by_list(
        &self,
        source: &SourceAddress,
        certificate: &[u8],
        issuer: &[u8],
        patience: &Patience,
    ) -> Result<Found, Unproved> {
        let within = patience.for_one().ok_or_else(|| Unproved::OutOfTime(source.clone()))?;
        let list = self.network.fetch(source, within)?;
        let checked = revocation::check_list(&list, certificate, issuer, self.now());
        let data = ValidationData {
            revocation_lists: vec![list],
            ..ValidationData::default()
        };
        self.found(source, data, checked)
    }

    /// Returns a source's response, if it is usable.
    fn found(
        &self,
        source: &SourceAddress,
        data: ValidationData,
        checked: Result<Validity, RevocationError>,
    ) -> Result<Found, Unproved> {
        let (revoked, until) = match checked {
            Ok(validity) => (None, validity.next_update),
            // The report may be a mistake, so we query the source again soon.
            Err(RevocationError::Revoked(since)) => {
                let soon = self.now().saturating_add(SignedDuration::from_mins(SILENT_MINUTES));
                (Some((source.to_string(), since)), soon.ok())
            }
            Err(error) => return Err(unusable(source, &error)),
        };
        Ok(Found { data, revoked, until })
    }

    fn fetched_issuer(&self, certificate: &[u8], patience: &Patience) -> Result<Option<Vec<u8>>, Unproved> {
        let found = self.answer(Question::Issuer, certificate, |sources| {
            let mut silent = None;
            for source in &sources.issuers {
                let within = patience.for_one().ok_or_else(|| Unproved::OutOfTime(source.clone()))?;
                // An unreachable address does not end the search.
                match self.network.fetch(source, within) {
                    Ok(bytes) => {
                        let mut issuers = certificates_of_issuers(&bytes).into_iter();
                        if let Some(issuer) = issuers.find(|issuer| revocation::is_issued_by(certificate, issuer)) {
                            let data = ValidationData {
                                certificates: vec![issuer],
                                ..ValidationData::default()
                            };
                            return Ok(Found {
                                data,
                                revoked: None,
                                // The issuer's certificate never changes.
                                until: Some(Timestamp::MAX),
                            });
                        }
                    }
                    Err(fault) => silent = Some(fault),
                }
            }
            silent.map_or_else(|| Ok(Found::default()), |fault| Err(fault.into()))
        })?;
        Ok(found.data.certificates.into_iter().next())
    }

    fn kept_proofs(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept_proofs.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, key: (Question, [u8; 32]), answer: Answer) {
        let size = |answer: &Answer| answer.0.as_ref().map_or(0, |found| found.data.size());
        let more = size(&answer);
        if self.answers.len() >= MOST_KEPT || self.bytes.saturating_add(more) > MOST_BYTES_KEPT {
            *self = Self::default();
        }
        self.bytes = self.bytes.saturating_add(more);
        if let Some(before) = self.answers.insert(key, answer) {
            self.bytes = self.bytes.saturating_sub(size(&before));
        }
    }
}

fn unusable(source: &SourceAddress, error: &RevocationError) -> Unproved {
    Unproved::Unusable {
        url: source.to_string(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a response of this many bytes.
    fn answer(bytes: usize) -> Answer {
        let data = ValidationData {
            revocation_lists: vec![vec![0; bytes]],
            ..ValidationData::default()
        };
        let found = Found {
            data,
            ..Found::default()
        };
        (Ok(found), Timestamp::MAX)
    }

    #[test]
    fn no_more_bytes_are_kept_than_the_limit() {
        const LARGE: usize = 10 * 1024 * 1024;
        let mut kept = Kept::default();
        for number in 0..20 {
            kept.keep((Question::IsGood, [number; 32]), answer(LARGE));
            assert!(kept.bytes <= MOST_BYTES_KEPT && kept.bytes == kept.answers.len() * LARGE);
        }
        assert_eq!(kept.answers.len(), 2, "six fit, then it starts again");
        kept.keep((Question::IsGood, [19; 32]), answer(1));
        assert_eq!(kept.bytes, LARGE + 1, "what is replaced counts no more");
    }
}
