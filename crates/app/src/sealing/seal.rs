//! Seals a completed file: selects the key and the level, and handles a time-stamp authority that does not respond.
//!
//! The level is the company's, otherwise the installation's, otherwise the highest possible: B-LTA with a time-stamp
//! authority, B-B without one. From B-LT on, the file contains the proofs that its certificates are valid
//! ([`crate::sealing::proofs`]).
//!
//! If an authority does not respond or sends an invalid response, or if a certificate cannot be proved valid at the
//! moment, no approval is lost. The settings limit the time that we wait for all responses together. With
//! `seal_and_upgrade` the file is sealed with what is available, and [`App::add_due_timestamps`] appends the rest
//! later. With `wait` nothing is sealed, the caller is asked to retry ([`Error::Unavailable`]), and the signer's
//! entries remain in their draft. The same job renews archive timestamps before the certificate of their authority
//! ends, so a file can be verified as long as the job runs. By then the sources of older certificates may no longer
//! exist, because the file contains their responses.
//!
//! Waiting cannot fix two problems. A revoked certificate can neither seal nor start anything. If a certificate names
//! no source for a proof, the seal is declared as level B-T, whatever the company prefers.
//!
//! A later timestamp only appends to the file. The new file replaces the old one in one transaction, with an entry in
//! the audit trail that contains its hash. A concurrent reader gets either of them, complete.

use std::sync::Arc;
use std::time::{Duration, Instant};

use document::pdf::shared_bytes::SharedBytes;
use document::pki::keys::{KeyError, Signer};
use document::pki::timestamp::{NONCE_BYTES, TimestampError, TimestampRequest, TimestampSource};
use document::sealing::validation_data::{self, ValidationData};
use document::sealing::{SealDetails, SealError};
use domain::public_address::{AddressRules, CallbackUrl};
use domain::{BlobHash, CompanyId, SealLevel, WhenTsaIsDown};
use jiff::{SignedDuration, Timestamp};
use metrics::metrics;
use sha2::{Digest, Sha256};
use store::company::Company;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::callback::callback_fault;
use crate::base::error::{Error, Fault, FaultCode, Subject};
use crate::base::installation;
use crate::base::network::{Patience, TimeStampAuthority};
use crate::base::seal_refusal::{SealCode, SealRefusal};
use crate::sealing::deep_stack::on_deep_stack;
use crate::sealing::proofs::{ChainFault, Needed, Proofs, Unproved};
use crate::sealing::seal_key::UsableKey;

/// Seconds to wait before a retry of a postponed approval.
const RETRY_AFTER: u64 = 60;
/// Time before a failed timestamp is retried.
pub(crate) const RETRY_TIMESTAMP: SignedDuration = SignedDuration::from_mins(10);
/// An archive timestamp is renewed this long before its authority's certificate ends, or after three quarters of its
/// validity, whichever is later.
const RENEWED_BEFORE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Minimum time between two archive timestamps.
const RENEWED_AT_SOONEST: SignedDuration = SignedDuration::from_hours(24);
/// Sealing settings of the installation, for companies without their own.
#[derive(Debug, Clone)]
pub struct SealingSettings {
    /// The seal level. `None` selects the highest possible.
    pub level: Option<SealLevel>,
    pub tsa: Option<TimeStampAuthority>,
    /// What to do if the authority does not respond.
    pub when_tsa_is_down: WhenTsaIsDown,
    /// The location stated in seals, if any.
    pub location: Option<String>,
    /// The URL of the root's revocation list for new certificates. `None` adds no URL.
    pub revocation_list_url: Option<String>,
    /// The addresses allowed for a time-stamp authority.
    pub addresses: AddressRules,
    /// Maximum time that one approval waits for all proofs of certificates together.
    pub proof_wait: Duration,
}

impl Default for SealingSettings {
    fn default() -> Self {
        Self {
            level: None,
            tsa: None,
            when_tsa_is_down: WhenTsaIsDown::default(),
            location: None,
            revocation_list_url: None,
            // Most authorities use plain http, because their responses are signed.
            addresses: AddressRules {
                allow_http: true,
                ..AddressRules::default()
            },
            proof_wait: Duration::from_secs(10),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Sealed {
    pub bytes: Vec<u8>,
    pub level: SealLevel,
    /// Time when the next timestamp is due, if any.
    pub timestamp_due: Option<Timestamp>,
}

/// A time-stamp authority from which a timestamp was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedAuthority {
    pub url: String,
    /// The reason why there is no timestamp. `None` if there is one.
    pub fault: Option<String>,
    /// What the authority's timestamps lack for long-term proof (B-LT, B-LTA).
    pub lack: Option<ProofLack>,
}

/// What is missing for a proof of certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofLack {
    /// The source does not respond at the moment, with the reason.
    NotNow(String),
    /// The response is not a proof, with the reason: the certificate is revoked, or someone else signed the response.
    Refused(String),
    /// The chain does not end in a root: the issuer's certificate is missing, and no certificate says where to find it.
    Issuer,
    /// A certificate names neither a revocation list nor an OCSP responder.
    NoSource,
}

pub(crate) struct Wanted {
    pub(crate) level: SealLevel,
    pub(crate) tsa: Option<TimeStampAuthority>,
    when_tsa_is_down: WhenTsaIsDown,
}

/// Requests timestamps from an authority over the network.
pub(crate) struct Asking<'a> {
    pub(crate) app: &'a App,
    pub(crate) tsa: &'a TimeStampAuthority,
}

impl TimestampSource for Asking<'_> {
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError> {
        let mut nonce = [0; NONCE_BYTES];
        self.app.random.fill(&mut nonce);
        let request = TimestampRequest::new(*digest, nonce, self.tsa.policy);
        let response = self
            .app
            .network
            .ask_authority(self.tsa, request.to_der()?)
            .map_err(|fault| TimestampError::Unreachable(fault.to_string()))?;
        request.accept(&response)
    }
}

/// Reason why a timestamp, or its proof, is unavailable at the moment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotNow {
    #[error(transparent)]
    Timestamp(TimestampError),
    #[error("the timestamp is too large: it has {0} bytes")]
    TooLarge(usize),
    #[error("a certificate cannot be proved valid: {0}")]
    Proof(Unproved),
    #[error("no time-stamp authority is configured; set sealing.tsa_url")]
    NoAuthority,
}

/// A temporary or a permanent fault.
pub(crate) enum Failed {
    Now(NotNow),
    Always(Error),
}

impl From<NotNow> for Failed {
    fn from(fault: NotNow) -> Self {
        Self::Now(fault)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Always(error)
    }
}

impl From<ChainFault> for Failed {
    fn from(fault: ChainFault) -> Self {
        match fault {
            ChainFault::Unproved(fault) => Self::Now(NotNow::Proof(fault)),
            ChainFault::Always(error) => Self::Always(error),
        }
    }
}

impl From<SealError> for Failed {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Timestamp(fault) => Self::Now(NotNow::Timestamp(fault)),
            SealError::TimestampTooLarge(size) => Self::Now(NotNow::TooLarge(size)),
            other => Self::Always(Error::internal("sealing", other)),
        }
    }
}

/// Adds a document timestamp to a file. A timestamp that is too large for any placeholder counts as unavailable.
pub(crate) fn timestamped(pdf: &SharedBytes, data: &ValidationData, asking: &Asking<'_>) -> Result<Vec<u8>, Failed> {
    validation_data::add_archive_timestamp(pdf, data, asking).map_err(|error| match error {
        SealError::TooLarge(size) => NotNow::TooLarge(size).into(),
        other => other.into(),
    })
}

impl App {
    /// Returns the maximum time that a caller waits for the proofs of one or several seals.
    pub fn proof_patience(&self) -> Patience {
        Patience::of(self.settings.sealing.proof_wait, Arc::clone(&self.clock))
    }

    /// Seals any completed file in the company's name.
    pub fn seal_file(
        &self,
        actor: &Actor,
        pdf: impl Into<SharedBytes>,
        details: &SealDetails,
        patience: &Patience,
    ) -> Result<Sealed, Error> {
        let by = actor.must_own()?;
        let sealed = self.seal(by.company(), pdf, details, patience)?;
        let logged = by
            .logs(Action::FileSealed, self.now())
            .about(BlobHash::of(&sealed.bytes));
        self.store.write(move |tx| logged.write(tx))?;
        Ok(sealed)
    }

    /// Seals a completed file with the company's key, at the level that the company wants.
    pub(crate) fn seal(
        &self,
        company: &CompanyId,
        pdf: impl Into<SharedBytes>,
        details: &SealDetails,
        patience: &Patience,
    ) -> Result<Sealed, Error> {
        let begun = Instant::now();
        let sealed = self.sealed(company, &pdf.into(), details, patience);
        let level = sealed.as_ref().map_or("none", |sealed| sealed.level.code());
        metrics::took(&metrics().seals, &metrics::Seal { level }, begun.elapsed());
        sealed
    }

    fn sealed(
        &self,
        company: &CompanyId,
        pdf: &SharedBytes,
        details: &SealDetails,
        patience: &Patience,
    ) -> Result<Sealed, Error> {
        let usable = self.current_seal_key(company)?;
        self.prove_sealable(&usable, patience)?;
        let key = usable.key;
        let wanted = self.wanted(company)?;
        let without = |fault: NotNow| {
            if wanted.when_tsa_is_down == WhenTsaIsDown::Wait {
                tracing::error!(%company, %fault, "a file was not sealed, because the level that the company requires was not available");
                return Err(Error::busy(RETRY_AFTER));
            }
            tracing::error!(%company, %fault, "a file was sealed at a lower level, because the level that the company requires was not available; the rest will be added later");
            Ok(Some(self.now()))
        };
        let basic = |due| {
            let bytes = document::sealing::seal(pdf, key.as_ref(), details)
                .map_err(|error| Error::internal("sealing", error))?;
            Ok(Sealed {
                bytes,
                level: SealLevel::Basic,
                timestamp_due: due,
            })
        };
        if wanted.level == SealLevel::Basic {
            return basic(None);
        }
        let Some(tsa) = &wanted.tsa else {
            return basic(without(NotNow::NoAuthority)?);
        };
        let asking = Asking { app: self, tsa };
        let stamped = match stamped(pdf, key.as_ref(), details, &asking) {
            Ok(stamped) => SharedBytes::from(stamped),
            Err(Failed::Now(fault)) => return basic(without(fault)?),
            Err(Failed::Always(error)) => return Err(error),
        };
        match self.lengthened(&stamped, wanted.level, &asking, patience) {
            Ok(sealed) => Ok(sealed),
            Err(Failed::Now(fault)) => Ok(Sealed {
                timestamp_due: without(fault)?,
                bytes: stamped.into_vec(),
                level: SealLevel::Timestamp,
            }),
            Err(Failed::Always(error)) => Err(error),
        }
    }

    /// Checks that a usable key can seal documents because no source reports its certificate as revoked. An
    /// unresponsive source is queried again when the seal is created.
    pub(crate) fn prove_sealable(&self, usable: &UsableKey, patience: &Patience) -> Result<(), Error> {
        if usable.is_of_our_root {
            return Ok(());
        }
        self.refuse_revoked(usable.key.certificates(), patience)
    }

    /// Refuses revoked certificates, because an issuer may have revoked an imported one.
    fn refuse_revoked(&self, certificates: &[Vec<u8>], patience: &Patience) -> Result<(), Error> {
        match self.proofs_of_chain(certificates, None, patience) {
            Err(ChainFault::Unproved(fault @ Unproved::Revoked { .. })) => {
                Err(Error::NotSealable(SealRefusal::new(SealCode::Revoked, fault)))
            }
            Err(ChainFault::Always(error)) => Err(error),
            Ok(_) | Err(ChainFault::Unproved(_)) => Ok(()),
        }
    }

    /// Checks what the sealing of all companies needs: the root's key can sign, and its revocation list can be issued.
    /// Returns the companies that cannot seal, with the reason. They can start nothing, but the others work.
    pub fn prove_sealing(&self) -> Result<Vec<(CompanyId, Error)>, Error> {
        let root = installation::root(&self.store, &self.vault)?;
        match root.prove(self.now()) {
            // Companies with certificates from other issuers can continue.
            Err(error @ KeyError::NotInItsTime { .. }) => {
                tracing::error!(%error, "the certificate of the installation's root expired");
            }
            proved => proved.map_err(|error| Error::internal("checking the installation's root key", error))?,
        }
        self.revocation_list()?;
        let mut unusable = Vec::new();
        let patience = self.proof_patience();
        for company in self.companies()? {
            let usable = self.current_seal_key(&company.id).map_err(Error::from);
            if let Err(error) = usable.and_then(|usable| self.prove_sealable(&usable, &patience)) {
                unusable.push((company.id, error));
            }
        }
        Ok(unusable)
    }

    /// Requests a timestamp from every configured time-stamp authority.
    pub fn ask_time_stamp_authorities(&self) -> Result<Vec<AskedAuthority>, Error> {
        let mut authorities: Vec<TimeStampAuthority> = self.settings.sealing.tsa.iter().cloned().collect();
        for company in self.companies()? {
            authorities.extend(self.wanted_by(&company).tsa);
        }
        let mut asked: Vec<AskedAuthority> = Vec::new();
        for tsa in authorities {
            if asked.iter().any(|asked| asked.url == tsa.url) {
                continue;
            }
            let digest = Sha256::digest(tsa.url.as_bytes()).into();
            let (fault, lack) = match (Asking { app: self, tsa: &tsa }).timestamp(&digest) {
                Ok(token) => (None, self.lack_of_proofs(&validation_data::token_certificates(&token))?),
                Err(fault) => (Some(fault.to_string()), None),
            };
            asked.push(AskedAuthority {
                url: tsa.url,
                fault,
                lack,
            });
        }
        Ok(asked)
    }

    /// Returns what is missing for proofs of a company's seals, if it wants more than B-T.
    pub fn lack_of_seal_proofs(&self, company: &CompanyId) -> Result<Option<ProofLack>, Error> {
        if self.wanted(company)?.level < SealLevel::LongTerm {
            return Ok(None);
        }
        let key = self.seal_key(company)?;
        self.lack_of_proofs(key.certificates())
    }

    /// Returns what is missing for proofs of these certificates.
    fn lack_of_proofs(&self, certificates: &[Vec<u8>]) -> Result<Option<ProofLack>, Error> {
        match self.proofs_of_chain(certificates, None, &self.proof_patience()) {
            Ok(found) if !found.ends_in_root => Ok(Some(ProofLack::Issuer)),
            Ok(found) if found.lacks_source => Ok(Some(ProofLack::NoSource)),
            Ok(_) => Ok(None),
            Err(ChainFault::Unproved(fault @ (Unproved::Unusable { .. } | Unproved::Revoked { .. }))) => {
                Ok(Some(ProofLack::Refused(fault.to_string())))
            }
            Err(ChainFault::Unproved(fault)) => Ok(Some(ProofLack::NotNow(fault.to_string()))),
            Err(ChainFault::Always(error)) => Err(error),
        }
    }

    pub(crate) fn wanted(&self, company: &CompanyId) -> Result<Wanted, Error> {
        let id = company.clone();
        let company = self
            .store
            .read(move |tx| store::company::find(tx, &id).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Company))?;
        Ok(self.wanted_by(&company))
    }

    /// Returns the faults in a company's seal settings.
    pub(crate) fn check_sealing(&self, company: &Company) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(url) = &company.tsa_url
            && let Err(fault) = CallbackUrl::parse(url, &self.settings.sealing.addresses)
        {
            faults.push(callback_fault("tsa_url", &fault));
        }
        let wanted = self.wanted_by(company);
        if wanted.level > SealLevel::Basic && wanted.tsa.is_none() {
            let reason = "a level above B-B needs a time-stamp authority; set tsa_url";
            faults.push(Fault::new("seal_level", FaultCode::NotSealable).with("reason", reason));
        }
        faults
    }

    fn wanted_by(&self, company: &Company) -> Wanted {
        let settings = &self.settings.sealing;
        let tsa = match &company.tsa_url {
            // Policy and Authorization value apply only to the installation's authority.
            Some(url) => Some(TimeStampAuthority {
                url: url.clone(),
                policy: None,
                authorization: None,
            }),
            None => settings.tsa.clone(),
        };
        let possible = if tsa.is_some() {
            SealLevel::Archive
        } else {
            SealLevel::Basic
        };
        Wanted {
            level: company.seal_level.or(settings.level).unwrap_or(possible),
            tsa,
            when_tsa_is_down: company.when_tsa_is_down.unwrap_or(settings.when_tsa_is_down),
        }
    }

    /// Appends the data required by a level above B-T to a file that has a timestamp.
    fn lengthened(
        &self,
        stamped: &SharedBytes,
        level: SealLevel,
        asking: &Asking<'_>,
        patience: &Patience,
    ) -> Result<Sealed, Failed> {
        if level < SealLevel::LongTerm {
            return Ok(Sealed {
                bytes: stamped.to_vec(),
                level,
                timestamp_due: None,
            });
        }
        let Proofs {
            data,
            lacks_own,
            revoked,
            lacks_others,
        } = self.proofs(&evidence(stamped)?, Needed::All, patience)?;
        // The authority may soon have a new certificate.
        if let Some(fault) = revoked {
            return Err(NotNow::Proof(fault).into());
        }
        let (bytes, renewed) = if level == SealLevel::Archive {
            let archived = SharedBytes::from(timestamped(stamped, &data, asking)?);
            let due = evidence(&archived)?.archive.map(renewal);
            (archived.into_vec(), due)
        } else {
            let extended = validation_data::add_validation_data(stamped, &data)?;
            (extended, None)
        };
        // Unresponsive third-party responders are retried later, when nobody waits.
        let again = lacks_others.then(|| later(self.now(), RETRY_TIMESTAMP));
        Ok(Sealed {
            bytes,
            level: if lacks_own { SealLevel::Timestamp } else { level },
            timestamp_due: again.into_iter().chain(renewed).min(),
        })
    }
}

/// Seals a file with a signature timestamp, or with a document timestamp if the signature value has no room for it.
fn stamped(pdf: &SharedBytes, key: &dyn Signer, details: &SealDetails, asking: &Asking<'_>) -> Result<Vec<u8>, Failed> {
    match document::sealing::seal_with_timestamp(pdf, key, details, asking) {
        Err(SealError::TimestampTooLarge(size)) => {
            tracing::info!(
                size,
                "the timestamp was too large for the signature, so the document gets one of its own"
            );
            let plain = document::sealing::seal(pdf, key, details)?;
            timestamped(&plain.into(), &ValidationData::default(), asking)
        }
        outcome => Ok(outcome?),
    }
}

/// Returns the level of a file that was sealed here.
pub(crate) fn level_of(pdf: Vec<u8>) -> Result<SealLevel, Error> {
    let pdf = SharedBytes::from(pdf);
    let evidence = on_deep_stack("reading a seal", || evidence(&pdf))?
        .map_err(|error| Error::internal("reading a seal", error))?;
    Ok(if evidence.archive.is_some() {
        SealLevel::Archive
    } else if evidence.has_validation_data {
        SealLevel::LongTerm
    } else if evidence.is_timestamped() {
        SealLevel::Timestamp
    } else {
        SealLevel::Basic
    })
}

pub(crate) fn evidence(pdf: &SharedBytes) -> Result<validation_data::Evidence, SealError> {
    validation_data::evidence(pdf)
}

pub(crate) fn later(at: Timestamp, duration: SignedDuration) -> Timestamp {
    at.saturating_add(duration).unwrap_or(Timestamp::MAX)
}

/// Returns the due time of the next archive timestamp, based on the time of the last one and the end of its authority's
/// certificate.
pub(crate) fn renewal((at, ends): (Timestamp, Timestamp)) -> Timestamp {
    let quarter = ends.duration_since(at) / 4;
    let before = RENEWED_BEFORE.min(quarter);
    let due = ends.saturating_sub(before).unwrap_or(at);
    // Avoids constant requests to an authority that stamps beyond its certificate's end.
    due.max(at.saturating_add(RENEWED_AT_SOONEST).unwrap_or(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_timestamp_is_renewed_while_its_certificate_still_lives() {
        let at: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a moment");
        let day = SignedDuration::from_hours(24);
        for (lives, due) in [(3650, 3560), (360, 270), (100, 75), (4, 3)] {
            assert_eq!(renewal((at, at + day * lives)), at + day * due, "{lives}");
        }
    }
}
