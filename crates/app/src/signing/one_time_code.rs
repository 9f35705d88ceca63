//! One-time codes, which prove that the holder of the link also reads messages to the signer's own address.
//!
//! A code is sent only when the page requests it, never because a link was opened, because programs that scan mail open
//! links. It is sent by messenger if the signer has a telephone number (as their address, or as `mobile`) that a
//! messenger reaches, otherwise to the address that the sender entered. This also applies to embedded workflows. The
//! code is stored as an authentication code under a key of the vault. `domain::one_time_code` defines how long it is
//! valid and how often it can be sent and tried, and [`crate::signing::code_guesses`] counts wrong ones for each
//! contact.
//!
//! A code can be used once. Each form in which it can be entered contains a random value. The form that used the code
//! may send it again for half a minute (a double click), but no other form may.
//!
//! A signer who entered the right code gets a proof: an authentication code over recipient, link version and time,
//! which the page stores for twelve hours. It ends with the link. If the sender set an access code, it must be entered
//! first.

use domain::event::IdentityMethod;
use domain::one_time_code::{self as rules, Hindrance, MOST_TRIES, Record};
use domain::{EventKind, Recipient, Who};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use store::workflow::{OneTimeCode, Writer};

use crate::App;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, ForbiddenCode, Subject, ThrottleCode};
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::links::link_token::same_link;
use crate::signing::access_code::salted;
use crate::signing::session::{SigningKey, Stage};

/// Time for which a proof is valid: one session of filling in.
const PROOF_LIFE: SignedDuration = SignedDuration::from_hours(12);

impl App {
    /// Sends the signer a code, if they need one. Fails with [`Error::Throttled`] if it is too early for the next one.
    /// After too many wrong codes the sender must send the document again.
    pub fn send_one_time_code(&self, key: &SigningKey, origin: &Origin) -> Result<(), Error> {
        let session = self.code_session(key)?;
        let Some(recipient) = session.recipient() else {
            return Err(Error::NotFound(Subject::Recipient));
        };
        match self.stage(&session, key) {
            Stage::OneTimeCode { .. } => {}
            Stage::AccessCode { .. } => return Err(Error::Forbidden(ForbiddenCode::AccessCode)),
            // The code was already entered, or there is nothing to see. The page shows which.
            _ => return Ok(()),
        }
        let (mut random, mut salt) = ([0; 8], vec![0; 16]);
        self.random.fill(&mut random);
        self.random.fill(&mut salt);
        let text = rules::code(random);
        let at = session.snapshot.at;
        let code = OneTimeCode {
            code: self.vault.tag(Purpose::OneTimeCode, &salted(&salt, &text)).to_vec(),
            salt,
            sent_at: at,
            used_at: None,
            used_by: None,
        };
        let workflow = &session.snapshot.stored.workflow;
        let party = &session.snapshot.party;
        let contact = self.code_contact(recipient, party.region);
        // The audit trail already contains the address that the sender entered.
        let to = (!contact.is_same(&recipient.contact)).then(|| domain::PersonalText::from(contact.as_given()));
        let message = self
            .outgoing
            .one_time_code(workflow, recipient, contact, &text, party, at)?;
        let guesses = self.code_guesses(&session, key, recipient)?;
        let (company, id) = (workflow.company.clone(), workflow.id);
        let (writer, link_version) = (recipient.id, recipient.link_version);
        let wanted = company.clone();
        let actor = origin.actor(Who::Recipient(writer));
        self.judge_and_note(&company, id, (&actor, at), move |tx| {
            let stored = store::workflow::load(tx, &wanted, id)?.ok_or(Error::NotFound(Subject::Link))?;
            same_link(&stored.workflow, writer, link_version)?;
            let events = store::audit::load(tx, &wanted, id)?;
            let events = events.iter().filter_map(domain::Entry::event);
            Record::of(events, writer).may_send(at).map_err(hindered)?;
            guesses.check(tx, at)?;
            store::workflow::set_one_time_code(tx, &wanted, writer, &code)?;
            store::outbox::enqueue(tx, &message)?;
            let sent = EventKind::OneTimeCodeSent {
                recipient: writer,
                to: to.clone(),
            };
            Ok((vec![sent], ()))
        })?;
        self.bell.ring();
        Ok(())
    }

    /// Accepts the code that was sent to the signer, as typed, and returns the proof that it was right. `form` is the
    /// random value of the form in which it was entered. Without this value the code cannot be sent again.
    pub fn give_one_time_code(
        &self,
        key: &SigningKey,
        typed: &str,
        form: &str,
        origin: &Origin,
    ) -> Result<String, Error> {
        let session = self.code_session(key)?;
        let (Some(recipient), Some(writer)) = (session.recipient(), session.writer()) else {
            return Err(Error::NotFound(Subject::Recipient));
        };
        if !writer.asks_one_time_code {
            return Ok(String::new());
        }
        if matches!(self.stage(&session, key), Stage::AccessCode { .. }) {
            return Err(Error::Forbidden(ForbiddenCode::AccessCode));
        }
        let Some(judged) = writer.one_time_code.clone() else {
            return Err(dead());
        };
        let typed = rules::as_typed(typed);
        let right = self
            .vault
            .tag_matches(Purpose::OneTimeCode, &salted(&judged.salt, &typed), &judged.code);
        let workflow = &session.snapshot.stored.workflow;
        let (company, workflow, at) = (workflow.company.clone(), workflow.id, session.snapshot.at);
        let (id, link_version) = (recipient.id, recipient.link_version);
        let guesses = self.code_guesses(&session, key, recipient)?;
        let used_by = (!form.is_empty()).then(|| Sha256::digest(form).to_vec());
        let wanted = company.clone();
        // As with access codes, the response contains only what the transaction that counts the try has found.
        let actor = origin.actor(Who::Recipient(id));
        let failures = self.judge_and_note(&company, workflow, (&actor, at), move |tx| {
            let stored = store::workflow::load(tx, &wanted, workflow)?.ok_or(Error::NotFound(Subject::Link))?;
            same_link(&stored.workflow, id, link_version)?;
            let writer = stored.writer(id).ok_or(Error::NotFound(Subject::Recipient))?;
            let code = writer.one_time_code.as_ref().filter(|code| code.salt == judged.salt);
            if right && code.is_some_and(|code| is_sent_again(code, used_by.as_deref(), at)) {
                return Ok((Vec::new(), None));
            }
            if code.is_none() || !can_be_given(writer, at) {
                return Err(dead());
            }
            let wrong = guesses.check(tx, at)?;
            let method = IdentityMethod::OneTimeCode;
            if right {
                store::workflow::use_one_time_code(tx, &wanted, id, at, used_by.as_deref())?;
                return Ok((vec![EventKind::IdentityChecked { recipient: id, method }], None));
            }
            guesses.count(tx, wrong, at)?;
            store::workflow::count_one_time_failure(tx, &wanted, id)?;
            let failures = writer.one_time_failures.saturating_add(1);
            let event = EventKind::IdentityRefused {
                recipient: id,
                method,
                locked: failures >= MOST_TRIES,
            };
            Ok((vec![event], Some(failures)))
        })?;
        match failures {
            None => Ok(self.one_time_proof(recipient, at)),
            Some(failures) => Err(Error::Unprocessable(vec![
                Fault::new("code", FaultCode::WrongOneTimeCode).with("left", MOST_TRIES.saturating_sub(failures)),
            ])),
        }
    }

    fn one_time_proof(&self, recipient: &Recipient, at: Timestamp) -> String {
        let given = at.as_second();
        let tag = self.vault.tag(Purpose::OneTimeCode, &proof_message(recipient, given));
        format!("{given}.{}", hex::encode(tag))
    }

    /// Whether the holder of the key has entered the code, if one is needed.
    pub(in crate::signing) fn has_given_one_time_code(
        &self,
        recipient: &Recipient,
        writer: &Writer,
        proof: Option<&str>,
        at: Timestamp,
    ) -> bool {
        !writer.asks_one_time_code || self.one_time_code_entered(recipient, proof, at).is_some()
    }

    /// Returns the time when the holder of this proof entered the recipient's one-time code, to the second. `None` if
    /// the proof is invalid or has expired.
    pub(in crate::signing) fn one_time_code_entered(
        &self,
        recipient: &Recipient,
        proof: Option<&str>,
        at: Timestamp,
    ) -> Option<Timestamp> {
        let (given, tag) = proof?.split_once('.')?;
        let given: i64 = given.parse().ok()?;
        let entered = Timestamp::from_second(given).ok()?;
        let tag = hex::decode(tag).ok()?;
        let is_valid = at.duration_since(entered) < PROOF_LIFE
            && self
                .vault
                .tag_matches(Purpose::OneTimeCode, &proof_message(recipient, given), &tag);
        is_valid.then_some(entered)
    }
}

/// Whether there is a valid code that the signer can enter.
pub(in crate::signing) fn can_be_given(writer: &Writer, at: Timestamp) -> bool {
    writer.one_time_failures < MOST_TRIES
        && writer
            .one_time_code
            .as_ref()
            .is_some_and(|code| rules::is_alive(code.sent_at, code.used_at, at))
}

/// Whether this is the form that already used the code, so that it may send the code again.
fn is_sent_again(code: &OneTimeCode, form: Option<&[u8]>, at: Timestamp) -> bool {
    form.is_some()
        && code.used_by.as_deref() == form
        && code.used_at.is_some_and(|used_at| rules::may_repeat(used_at, at))
}

fn dead() -> Error {
    Error::fault("code", FaultCode::OneTimeCodeExpired)
}

fn hindered(hindrance: Hindrance) -> Error {
    match hindrance {
        Hindrance::Locked => Error::conflict(ConflictCode::Locked),
        Hindrance::Wait(wait) => Error::throttled(ThrottleCode::Attempts, wait),
    }
}

fn proof_message(recipient: &Recipient, given: i64) -> Vec<u8> {
    let mut message = b"proof ".to_vec();
    message.extend_from_slice(&recipient.id.get().to_be_bytes());
    message.extend_from_slice(&recipient.link_version.to_be_bytes());
    message.extend_from_slice(&given.to_be_bytes());
    message
}
