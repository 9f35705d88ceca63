//! Access codes, which the sender sets and the signer must enter.
//!
//! A code may have only 4 characters, so a hash alone would not protect it. We store an authentication code over a salt
//! and the code, under a key of the vault. So anybody who has the database but not the master key cannot try codes.
//! After five wrong codes the link is locked until the sender sends the document again, or renews the links of a
//! completed document.
//!
//! A signer who entered the right code gets a proof: an authentication code over recipient, link version and code,
//! which the page stores for them. It ends with the link.

use domain::Who;
use domain::event::IdentityMethod;
use domain::{EventKind, Recipient};
use store::workflow::{AccessCode, Writer};

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::links::link_token::same_link;
use crate::signing::session::SigningKey;

/// Maximum number of wrong codes.
const MOST_FAILURES: u32 = 5;

impl App {
    /// Creates the stored form of an access code.
    pub(crate) fn new_access_code(&self, code: &str, hint: Option<String>) -> AccessCode {
        let mut salt = vec![0; 16];
        self.random.fill(&mut salt);
        let code = self.vault.tag(Purpose::AccessCode, &salted(&salt, code)).to_vec();
        AccessCode { salt, code, hint }
    }

    /// Accepts the signer's access code and returns the proof that they entered the right one.
    pub fn give_access_code(&self, key: &SigningKey, code: &str, origin: &Origin) -> Result<String, Error> {
        let session = self.code_session(key)?;
        let (Some(recipient), Some(writer)) = (session.recipient(), session.writer()) else {
            return Err(Error::NotFound(Subject::Recipient));
        };
        let Some(access) = &writer.access else {
            return Ok(String::new());
        };
        let right = self
            .vault
            .tag_matches(Purpose::AccessCode, &salted(&access.salt, code), &access.code);
        let workflow = &session.snapshot.stored.workflow;
        let (company, workflow, id) = (workflow.company.clone(), workflow.id, recipient.id);
        let link_version = recipient.link_version;
        let actor = origin.actor(Who::Recipient(id));
        let (wanted, judged, at) = (company.clone(), access.clone(), session.snapshot.at);
        // Data read earlier may be outdated. If there are many simultaneous tries, each must see the count left by the
        // previous one. So the response contains only what the counting transaction found.
        let failures = self.judge_and_note(&company, workflow, (&actor, at), move |tx| {
            let stored = store::workflow::load(tx, &wanted, workflow)?.ok_or(Error::NotFound(Subject::Link))?;
            // Tries of a previous person must not be recorded or counted against the current one.
            same_link(&stored.workflow, id, link_version)?;
            let Some(writer) = stored.writer(id).filter(|writer| !is_locked(writer)) else {
                return Err(Error::conflict(ConflictCode::Locked));
            };
            if writer.access.as_ref() != Some(&judged) {
                return Err(Error::conflict(ConflictCode::LinkReplaced));
            }
            let method = IdentityMethod::AccessCode;
            if right {
                store::workflow::set_access(tx, &wanted, id, at)?;
                return Ok((vec![EventKind::IdentityChecked { recipient: id, method }], None));
            }
            store::workflow::count_access_failure(tx, &wanted, id)?;
            let failures = writer.access_failures.saturating_add(1);
            let event = EventKind::IdentityRefused {
                recipient: id,
                method,
                locked: failures >= MOST_FAILURES,
            };
            Ok((vec![event], Some(failures)))
        })?;
        match failures {
            None => Ok(self.access_proof(recipient, access)),
            Some(failures) if failures >= MOST_FAILURES => Err(Error::conflict(ConflictCode::Locked)),
            Some(failures) => Err(Error::Unprocessable(vec![
                Fault::new("code", FaultCode::WrongAccessCode).with("left", MOST_FAILURES.saturating_sub(failures)),
            ])),
        }
    }

    fn access_proof(&self, recipient: &Recipient, access: &AccessCode) -> String {
        hex::encode(self.vault.tag(Purpose::AccessCode, &proof_message(recipient, access)))
    }

    /// Whether the holder of the key has entered the right code, if one is needed.
    pub(in crate::signing) fn has_access(&self, recipient: &Recipient, writer: &Writer, proof: Option<&str>) -> bool {
        let Some(access) = &writer.access else {
            return true;
        };
        let Some(proof) = proof.and_then(|proof| hex::decode(proof).ok()) else {
            return false;
        };
        !is_locked(writer)
            && self
                .vault
                .tag_matches(Purpose::AccessCode, &proof_message(recipient, access), &proof)
    }
}

/// Whether there were too many wrong tries.
pub(in crate::signing) fn is_locked(writer: &Writer) -> bool {
    writer.access.is_some() && writer.access_failures >= MOST_FAILURES
}

/// Returns the data that the authentication code of an access code covers.
pub(in crate::signing) fn salted(salt: &[u8], code: &str) -> Vec<u8> {
    let mut message = b"code ".to_vec();
    message.extend_from_slice(salt);
    message.extend_from_slice(code.as_bytes());
    message
}

fn proof_message(recipient: &Recipient, access: &AccessCode) -> Vec<u8> {
    let mut message = b"proof ".to_vec();
    message.extend_from_slice(&recipient.id.get().to_be_bytes());
    message.extend_from_slice(&recipient.link_version.to_be_bytes());
    message.extend_from_slice(&access.code);
    message
}
