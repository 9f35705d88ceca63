//! Access codes: the sender gives one, the writer must know it.
//!
//! A code has 4 characters at least, so no hash of it alone would keep it: what is stored is an authentication code under a
//! key of the vault, over a salt and the code. Whoever has the database without the master key cannot try codes. Five wrong
//! codes lock the way until the sender sends anew.
//!
//! Whoever gave the right code gets a proof: an authentication code over recipient, link version and code, which the page
//! keeps for him. It dies with the link.

use domain::Who;
use domain::event::IdentityMethod;
use domain::{EventKind, Recipient};
use store::workflow::{AccessCode, Writer};

use crate::error::{ConflictCode, Error, Fault, FaultCode};
use crate::signing_session::SigningKey;
use crate::vault::Purpose;
use crate::{App, Origin};

/// Wrong codes that are borne.
const MOST_FAILURES: u32 = 5;

impl App {
    /// An access code, as it is kept.
    pub(crate) fn new_access_code(&self, code: &str, hint: Option<String>) -> AccessCode {
        let mut salt = vec![0; 16];
        self.random.fill(&mut salt);
        let code = self.vault.tag(Purpose::AccessCode, &salted(&salt, code)).to_vec();
        AccessCode { salt, code, hint }
    }

    /// Takes the writer's access code and answers the proof that he gave the right one.
    pub fn give_access_code(&self, key: &SigningKey, code: &str, origin: &Origin) -> Result<String, Error> {
        let session = self.session_of(key)?;
        let (Some(recipient), Some(writer)) = (session.recipient(), session.writer()) else {
            return Err(Error::NotFound(crate::Subject::Recipient));
        };
        let Some(access) = &writer.access else {
            return Ok(String::new());
        };
        if is_locked(writer) {
            return Err(Error::conflict(ConflictCode::Locked));
        }
        let right = self
            .vault
            .tag_matches(Purpose::AccessCode, &salted(&access.salt, code), &access.code);
        let workflow = &session.snapshot.stored.workflow;
        let (company, id) = (workflow.company.clone(), recipient.id);
        let actor = origin.actor(Who::Recipient(recipient.id));
        let method = IdentityMethod::AccessCode;
        if right {
            let at = session.snapshot.at;
            let event = EventKind::IdentityChecked { recipient: id, method };
            // A lock that another try has set in the meantime stands.
            let workflow_id = workflow.id;
            let wanted = company.clone();
            self.note(&company, workflow_id, &actor, &[event], move |tx| {
                let locked = store::workflow::load(tx, &wanted, workflow_id)?
                    .and_then(|stored| stored.writer(id).map(is_locked))
                    .unwrap_or(true);
                if locked {
                    return Err(Error::conflict(ConflictCode::Locked));
                }
                store::workflow::set_access(tx, &wanted, id, at)?;
                Ok(true)
            })?;
            return Ok(self.access_proof(recipient, access));
        }
        let failures = writer.access_failures.saturating_add(1);
        let locked = failures >= MOST_FAILURES;
        let event = EventKind::IdentityRefused {
            recipient: id,
            method,
            locked,
        };
        let wanted = company.clone();
        self.note(&company, workflow.id, &actor, &[event], move |tx| {
            store::workflow::count_access_failure(tx, &wanted, id)?;
            Ok(true)
        })?;
        if locked {
            return Err(Error::conflict(ConflictCode::Locked));
        }
        let left = MOST_FAILURES.saturating_sub(failures);
        Err(Error::Unprocessable(vec![
            Fault::new("code", FaultCode::WrongAccessCode).with("left", left),
        ]))
    }

    fn access_proof(&self, recipient: &Recipient, access: &AccessCode) -> String {
        hex::encode(self.vault.tag(Purpose::AccessCode, &proof_message(recipient, access)))
    }

    /// Has the holder of the key given the right code, where one is needed?
    pub(crate) fn has_access(&self, recipient: &Recipient, writer: &Writer, proof: Option<&str>) -> bool {
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

/// Was the code tried too often?
pub(crate) fn is_locked(writer: &Writer) -> bool {
    writer.access.is_some() && writer.access_failures >= MOST_FAILURES
}

fn salted(salt: &[u8], code: &str) -> Vec<u8> {
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
