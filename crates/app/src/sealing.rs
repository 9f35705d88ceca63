//! How a finished file is sealed: by which key, how strong, and what happens while a time-stamp authority does not answer.
//!
//! The level is the company's, else the installation's, else what is possible: B-LTA with a time-stamp authority, B-B without.
//! From B-LT on the file holds what proves its certificates good: the root's own revocation list, and what the certificates of
//! others name as theirs, fetched and kept in this process until it is stale.
//!
//! An authority that does not answer, or answers wrongly, never loses an approval. By `seal_and_upgrade` the file is sealed
//! without it and [`App::add_due_timestamps`] appends the timestamp later; by `wait` nothing is sealed, the caller is told to
//! come again ([`Error::Unavailable`]), and what the writer filled in stays as his draft. The same job renews archive
//! timestamps before the certificate of their authority ends: as long as it runs, a file can be verified.
//!
//! A timestamp that is added later only appends. The file with it takes the other one's place in one transaction, with an
//! entry in the chain that tells its hash; whoever asks at that moment gets one or the other, whole.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use document::keys::{Signer, certificates_from_pem};
use document::revocation::{self, Sources};
use document::seal::{SealDetails, SealError};
use document::timestamp::{NONCE_BYTES, Policy, QUERY_MEDIA_TYPE, TimestampError, TimestampRequest, TimestampSource};
use document::validation_data::{self, Evidence, ValidationData};
use domain::public_address::{AddressRules, CallbackUrl};
use domain::{Actor, CompanyId, EventKind, FileKind, SealLevel, WhenTsaIsDown};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use store::company::Company;
use store::workflow::{DueTimestamp, SealedDocument};

use crate::error::{Error, Fault, FaultCode, Subject};
use crate::network::NetworkFault;
use crate::start::callback_fault;
use crate::{App, installation};

/// How long a caller waits before an approval that was put off is given again, in seconds.
const RETRY_AFTER: u64 = 60;
/// A timestamp that failed is tried again after this long.
const RETRY_TIMESTAMP: SignedDuration = SignedDuration::from_mins(10);
/// An archive timestamp is renewed this long before its authority's certificate ends, or when three quarters of its time
/// are over, whichever is later.
const RENEWED_BEFORE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// And never sooner than this after the last one.
const RENEWED_AT_SOONEST: SignedDuration = SignedDuration::from_hours(24);
/// What was fetched is used for so many hours where it does not say how long it may be,
const FRESH_HOURS: i64 = 1;
/// and for so many at most.
const LONGEST_KEPT_HOURS: i64 = 24;
/// Certificates whose proof is kept; beyond, all are fetched anew.
const MOST_KEPT: usize = 256;
/// The longest chain of issuers that is followed.
const LONGEST_CHAIN: usize = 6;

/// How the installation seals where a company does not choose for itself.
#[derive(Debug, Clone)]
pub struct SealingSettings {
    /// How strong; what is possible, if not given.
    pub level: Option<SealLevel>,
    /// The time-stamp authority.
    pub tsa: Option<TimeStampAuthority>,
    /// What happens while it does not answer.
    pub when_tsa_is_down: WhenTsaIsDown,
    /// The place that seals name, if they are to name one.
    pub location: Option<String>,
    /// The address of the root's revocation list, which new certificates name; they name none, if not given.
    pub revocation_list_url: Option<String>,
    /// Which addresses a time-stamp authority may have.
    pub addresses: AddressRules,
}

impl Default for SealingSettings {
    fn default() -> Self {
        Self {
            level: None,
            tsa: None,
            when_tsa_is_down: WhenTsaIsDown::default(),
            location: None,
            revocation_list_url: None,
            // Most authorities are asked over plain http: what they answer is signed.
            addresses: AddressRules {
                allow_http: true,
                ..AddressRules::default()
            },
        }
    }
}

/// A time-stamp authority.
#[derive(Clone)]
pub struct TimeStampAuthority {
    /// Where it answers.
    pub url: String,
    /// The policy to ask for; the authority's own, if not given.
    pub policy: Option<Policy>,
    /// The value of the Authorization header, where it wants one.
    pub authorization: Option<String>,
}

impl std::fmt::Debug for TimeStampAuthority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeStampAuthority")
            .field("url", &self.url)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// A sealed file.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// The file.
    pub bytes: Vec<u8>,
    /// How strong it is sealed.
    pub level: SealLevel,
    /// When its next timestamp is due, if it is.
    pub timestamp_due: Option<Timestamp>,
}

/// A time-stamp authority that was asked for a timestamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedAuthority {
    /// Where it is.
    pub url: String,
    /// Why it gave none; nothing where it gave one.
    pub fault: Option<String>,
}

/// What proves certificates good, as long as it is fresh, by the certificate's SHA-256.
#[derive(Default)]
pub(crate) struct KeptProofs(Mutex<HashMap<[u8; 32], (ValidationData, Timestamp)>>);

/// What a company wants.
struct Wanted {
    level: SealLevel,
    tsa: Option<TimeStampAuthority>,
    when_tsa_is_down: WhenTsaIsDown,
}

/// Asks a time-stamp authority over the network.
struct Asking<'a> {
    app: &'a App,
    tsa: &'a TimeStampAuthority,
}

impl TimestampSource for Asking<'_> {
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError> {
        let mut nonce = [0; NONCE_BYTES];
        self.app.random.fill(&mut nonce);
        let request = TimestampRequest::new(*digest, nonce, self.tsa.policy);
        let response = self
            .app
            .network
            .post(
                &self.tsa.url,
                QUERY_MEDIA_TYPE,
                self.tsa.authorization.as_deref(),
                request.to_der()?,
            )
            .map_err(|fault| TimestampError::Unreachable(fault.to_string()))?;
        request.accept(&response)
    }
}

/// Why a timestamp, or what proves it, is not there now.
#[derive(Debug, thiserror::Error)]
enum NotNow {
    #[error(transparent)]
    Timestamp(TimestampError),
    #[error("what proves a certificate good cannot be fetched: {0}")]
    Proof(String),
    #[error("there is no time-stamp authority")]
    NoAuthority,
}

impl From<NetworkFault> for NotNow {
    fn from(fault: NetworkFault) -> Self {
        Self::Proof(fault.to_string())
    }
}

/// A fault that passes by itself, or one that does not.
enum Failed {
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

impl From<SealError> for Failed {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Timestamp(fault) => Self::Now(NotNow::Timestamp(fault)),
            other => Self::Always(Error::internal("sealing", other)),
        }
    }
}

impl App {
    /// Seals a finished file with the company's key, as strong as the company wants it.
    pub fn seal(&self, company: &CompanyId, pdf: &[u8], details: &SealDetails) -> Result<Sealed, Error> {
        let key = self.seal_key(company)?;
        let wanted = self.wanted(company)?;
        match self.sealed_as_wanted(pdf, key.as_ref(), details, &wanted) {
            Ok(sealed) => Ok(sealed),
            Err(Failed::Always(error)) => Err(error),
            Err(Failed::Now(fault)) if wanted.when_tsa_is_down == WhenTsaIsDown::Wait => {
                tracing::error!(%company, %fault, "not sealed: the time-stamp authority does not answer");
                Err(Error::busy(RETRY_AFTER))
            }
            Err(Failed::Now(fault)) => {
                tracing::error!(%company, %fault, "sealed without a timestamp; it is added later");
                let bytes = document::seal::seal(pdf, key.as_ref(), details)
                    .map_err(|error| Error::internal("sealing", error))?;
                Ok(Sealed {
                    bytes,
                    level: SealLevel::Basic,
                    timestamp_due: Some(self.now()),
                })
            }
        }
    }

    /// Proves that sealing can succeed at all: the root's key signs, its revocation list can be issued, and of the
    /// companies, if there are any, one has a usable key. The companies that cannot seal are the answer, with the reason;
    /// nothing can be started for them.
    pub fn prove_sealing(&self) -> Result<Vec<(CompanyId, Error)>, Error> {
        let root = installation::root(&self.store, &self.vault)?;
        root.prove(self.now())
            .map_err(|error| Error::internal("proving the installation's root key", error))?;
        self.revocation_list()?;
        let companies = self.companies()?;
        let mut unusable = Vec::new();
        for company in &companies {
            if let Err(error) = self.seal_key(&company.id) {
                unusable.push((company.id.clone(), error));
            }
        }
        if !companies.is_empty() && unusable.len() == companies.len() {
            let reason = unusable.into_iter().next().map(|(_, error)| error.to_string());
            return Err(Error::internal(
                "proving that documents can be sealed",
                reason.unwrap_or_default(),
            ));
        }
        Ok(unusable)
    }

    /// Asks every time-stamp authority that is configured for a timestamp.
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
            let answer = Asking { app: self, tsa: &tsa }.timestamp(&digest);
            asked.push(AskedAuthority {
                url: tsa.url,
                fault: answer.err().map(|fault| fault.to_string()),
            });
        }
        Ok(asked)
    }

    fn wanted(&self, company: &CompanyId) -> Result<Wanted, Error> {
        let id = company.clone();
        let company = self
            .store
            .read(move |tx| store::company::find(tx, &id).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Company))?;
        Ok(self.wanted_by(&company))
    }

    /// What is wrong with a company's choices about its seals.
    pub(crate) fn check_sealing(&self, company: &Company) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(url) = &company.tsa_url
            && let Err(fault) = CallbackUrl::parse(url, &self.settings.sealing.addresses)
        {
            faults.push(callback_fault("tsa_url", &fault));
        }
        let wanted = self.wanted_by(company);
        if wanted.level > SealLevel::Basic && wanted.tsa.is_none() {
            let reason = "a level above B-B needs a time-stamp authority (tsa_url)";
            faults.push(Fault::new("seal_level", FaultCode::NotSealable).with("reason", reason));
        }
        faults
    }

    fn wanted_by(&self, company: &Company) -> Wanted {
        let settings = &self.settings.sealing;
        let tsa = match &company.tsa_url {
            // Policy and Authorization value belong to the installation's authority alone.
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

    fn sealed_as_wanted(
        &self,
        pdf: &[u8],
        key: &dyn Signer,
        details: &SealDetails,
        wanted: &Wanted,
    ) -> Result<Sealed, Failed> {
        if wanted.level == SealLevel::Basic {
            return Ok(Sealed {
                bytes: document::seal::seal(pdf, key, details)?,
                level: SealLevel::Basic,
                timestamp_due: None,
            });
        }
        let tsa = wanted.tsa.as_ref().ok_or(NotNow::NoAuthority)?;
        let asking = Asking { app: self, tsa };
        let sealed = document::seal::seal_with_timestamp(pdf, key, details, &asking)?;
        self.lengthened(sealed, wanted.level, &asking)
    }

    /// Appends what a level above B-T needs to a file that has a timestamp.
    fn lengthened(&self, sealed: Vec<u8>, level: SealLevel, asking: &Asking<'_>) -> Result<Sealed, Failed> {
        let (bytes, timestamp_due) = match level {
            SealLevel::Basic | SealLevel::Timestamp => (sealed, None),
            SealLevel::LongTerm => {
                let data = self.proofs(&validation_data::evidence(&sealed)?)?;
                (validation_data::add_validation_data(&sealed, &data)?, None)
            }
            SealLevel::Archive => {
                let data = self.proofs(&validation_data::evidence(&sealed)?)?;
                let archived = validation_data::add_archive_timestamp(&sealed, &data, asking)?;
                let due = validation_data::evidence(&archived)?.archive.map(renewal);
                (archived, due)
            }
        };
        Ok(Sealed {
            bytes,
            level,
            timestamp_due,
        })
    }

    /// Adds the timestamps that are due: those that are missing, because an authority did not answer, and those whose
    /// authority's certificate ends soon. At most `most` files are looked at; how many got one is the answer.
    pub fn add_due_timestamps(&self, most: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::due_timestamps(tx, now, most).map_err(Error::from))?;
        let mut added = 0;
        for mut due in due {
            // Who puts it off sees to it; another process finds it put off.
            let claimed = due.clone();
            let until = Some(now.saturating_add(RETRY_TIMESTAMP).unwrap_or(Timestamp::MAX));
            if !self
                .store
                .write(move |tx| store::workflow::put_timestamp_off(tx, &claimed, until).map_err(Error::from))?
            {
                continue;
            }
            due.sealed.timestamp_due = until;
            let (company, workflow) = (due.company.clone(), due.workflow);
            match self.add_timestamps(&due) {
                Ok(true) => added += 1,
                Ok(false) => {}
                Err(Failed::Now(fault)) => {
                    tracing::warn!(%company, %workflow, %fault, "no timestamp yet; it is tried again");
                }
                Err(Failed::Always(error)) => {
                    tracing::error!(%company, %workflow, %error, "a timestamp could not be added; it is tried again");
                }
            }
        }
        Ok(added)
    }

    /// Adds timestamps to document and certificate of a workflow; `false` where none is wanted any more.
    fn add_timestamps(&self, due: &DueTimestamp) -> Result<bool, Failed> {
        let wanted = self.wanted(&due.company)?;
        let Some(tsa) = wanted.tsa.as_ref().filter(|_| wanted.level != SealLevel::Basic) else {
            // The company wants none now. What is archived already stays so, for as long as its last timestamp counts.
            let put_off = due.clone();
            self.store
                .write(move |tx| store::workflow::put_timestamp_off(tx, &put_off, None).map_err(Error::from))?;
            return Ok(false);
        };
        let asking = Asking { app: self, tsa };
        let mut after = due.sealed;
        let mut events = Vec::new();
        let mut dues = Vec::new();
        for (file, hash, length) in [
            (FileKind::Document, &mut after.document, &mut after.document_length),
            (
                FileKind::Certificate,
                &mut after.certificate,
                &mut after.certificate_length,
            ),
        ] {
            let pdf = self.blobs.get(hash).map_err(Error::from)?;
            let data = match wanted.level {
                SealLevel::Basic | SealLevel::Timestamp => ValidationData::default(),
                SealLevel::LongTerm | SealLevel::Archive => self.proofs(&validation_data::evidence(&pdf)?)?,
            };
            // A document timestamp takes the place of a signature timestamp that could not be had (EN 319 142-1, 6.3).
            let longer = validation_data::add_archive_timestamp(&pdf, &data, &asking)?;
            dues.extend(validation_data::evidence(&longer)?.archive.map(renewal));
            *hash = self.blobs.put(&longer).map_err(Error::from)?;
            *length = longer.len() as u64;
            events.push(EventKind::Timestamped {
                file,
                hash: *hash,
                length: *length,
            });
        }
        after.timestamp_due = dues.into_iter().min().filter(|_| wanted.level == SealLevel::Archive);
        self.replace_sealed(due, after, &events)?;
        Ok(true)
    }

    fn replace_sealed(&self, due: &DueTimestamp, after: SealedDocument, events: &[EventKind]) -> Result<(), Error> {
        let (company, id, before) = (due.company.clone(), due.workflow, due.sealed);
        self.note(&due.company, due.workflow, &Actor::SERVICE, events, move |tx| {
            if !store::workflow::replace_sealed(tx, &company, id, &before, &after)? {
                // Another process was first. What was kept here is swept: nothing names it.
                return Ok(false);
            }
            for hash in [after.document, after.certificate] {
                store::workflow::refer_to_blob(tx, &company, id, hash)?;
            }
            for hash in [before.document, before.certificate] {
                store::workflow::forget_blob(tx, &company, id, hash)?;
            }
            Ok(true)
        })
    }

    /// Everything that proves the certificates of some evidence good, and the certificates themselves.
    fn proofs(&self, evidence: &Evidence) -> Result<ValidationData, Failed> {
        let root = certificates_from_pem(&self.root_certificate()?)
            .map_err(|error| Error::internal("reading the installation's root certificate", error))?;
        let mut data = ValidationData::default();
        for chain in &evidence.chains {
            match self.proofs_of_chain(&chain.certificates, &root) {
                Ok(proofs) => data.extend(proofs),
                // A stranger's responder that is gone must not hold up our seal.
                Err(Failed::Now(fault)) if !chain.is_own => {
                    tracing::info!(%fault, "nothing proves an earlier signature's certificate any more");
                }
                Err(failed) => return Err(failed),
            }
        }
        Ok(data)
    }

    fn proofs_of_chain(&self, certificates: &[Vec<u8>], root: &[Vec<u8>]) -> Result<ValidationData, Failed> {
        let mut data = ValidationData::default();
        let Some(mut current) = certificates.first().cloned() else {
            return Ok(data);
        };
        for _ in 0..LONGEST_CHAIN {
            if !data.certificates.contains(&current) {
                data.certificates.push(current.clone());
            }
            if revocation::is_self_issued(&current) {
                break;
            }
            let known = certificates
                .iter()
                .chain(root)
                .find(|candidate| revocation::names_issuer(&current, candidate))
                .cloned();
            let issuer = match known {
                Some(issuer) => Some(issuer),
                None => self.fetched_issuer(&current)?,
            };
            // Without its issuer nothing more can be said; a verifier may know it.
            let Some(issuer) = issuer else { break };
            if root.contains(&issuer) {
                data.extend(ValidationData {
                    revocation_lists: vec![self.revocation_list()?],
                    ..ValidationData::default()
                });
            } else {
                data.extend(self.proof(&current, &issuer)?);
            }
            current = issuer;
        }
        Ok(data)
    }

    /// What proves one certificate good, as it names it: by OCSP, else by a list; nothing where it names neither.
    fn proof(&self, certificate: &[u8], issuer: &[u8]) -> Result<ValidationData, NotNow> {
        let key: [u8; 32] = Sha256::digest(certificate).into();
        let now = self.now();
        if let Some((data, until)) = self.kept_proofs().get(&key)
            && *until > now
        {
            return Ok(data.clone());
        }
        let sources = Sources::of(certificate).map_err(|error| NotNow::Proof(error.to_string()))?;
        let mut last = None;
        let asked = sources
            .responders
            .iter()
            .map(|url| self.by_responder(url, certificate, issuer));
        let listed = sources.lists.iter().map(|url| self.by_list(url));
        for found in asked.chain(listed) {
            match found {
                Ok((data, next_update)) => {
                    let after = |hours| now.saturating_add(SignedDuration::from_hours(hours)).unwrap_or(now);
                    let until = next_update.unwrap_or(after(FRESH_HOURS)).min(after(LONGEST_KEPT_HOURS));
                    let mut kept = self.kept_proofs();
                    if kept.len() >= MOST_KEPT {
                        kept.clear();
                    }
                    kept.insert(key, (data.clone(), until));
                    return Ok(data);
                }
                Err(fault) => last = Some(fault),
            }
        }
        match last {
            Some(fault) => Err(fault),
            None => Ok(ValidationData::default()),
        }
    }

    fn by_responder(
        &self,
        url: &str,
        certificate: &[u8],
        issuer: &[u8],
    ) -> Result<(ValidationData, Option<Timestamp>), NotNow> {
        let unusable = |error: revocation::RevocationError| NotNow::Proof(format!("{url}: {error}"));
        let request = revocation::ocsp_request(certificate, issuer).map_err(unusable)?;
        let response = self
            .network
            .post(url, revocation::OCSP_REQUEST_MEDIA_TYPE, None, request)?;
        let answer = revocation::ocsp_answer(&response, certificate).map_err(unusable)?;
        let data = ValidationData {
            ocsp_responses: vec![response],
            ..ValidationData::default()
        };
        Ok((data, answer.next_update))
    }

    fn by_list(&self, url: &str) -> Result<(ValidationData, Option<Timestamp>), NotNow> {
        let list = self.network.get(url)?;
        let until = revocation::RevocationList::parse(&list)
            .map_err(|error| NotNow::Proof(format!("{url}: {error}")))?
            .next_update;
        let data = ValidationData {
            revocation_lists: vec![list],
            ..ValidationData::default()
        };
        Ok((data, until))
    }

    fn fetched_issuer(&self, certificate: &[u8]) -> Result<Option<Vec<u8>>, NotNow> {
        let sources = Sources::of(certificate).map_err(|error| NotNow::Proof(error.to_string()))?;
        let mut silent = None;
        for url in &sources.issuers {
            // One dead address does not end the search.
            match self.network.get(url) {
                Ok(issuer) if revocation::names_issuer(certificate, &issuer) => return Ok(Some(issuer)),
                Ok(_) => {}
                Err(fault) => silent = Some(fault),
            }
        }
        silent.map_or(Ok(None), |fault| Err(fault.into()))
    }

    fn kept_proofs(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], (ValidationData, Timestamp)>> {
        self.kept_proofs.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the next archive timestamp is due, from the time of the last one and the end of its authority's certificate.
fn renewal((at, ends): (Timestamp, Timestamp)) -> Timestamp {
    let quarter = ends.duration_since(at) / 4;
    let before = RENEWED_BEFORE.min(quarter);
    let due = ends.saturating_sub(before).unwrap_or(at);
    // An authority that goes on past its certificate's end must not be asked without pause.
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
