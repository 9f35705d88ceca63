//! The first run: as long as there is no company, the server prints an address with a one-time code at which a browser
//! creates the first company with its owner.
//!
//! The code proves that its holder can read what the server prints. We keep only its SHA-256, and each start of a server
//! replaces it.

use std::fmt;

use document::pki::keys::KeyKind;
use domain::{Language, Role, Zone};
use jiff::ToSpan;
use store::Transaction;

use crate::App;
use crate::base::audit_log::{Action, Logged};
use crate::base::caller::Channel;
use crate::base::error::{ConflictCode, Error, Fault, Subject};
use crate::base::text;
use crate::companies::access_token::AccessToken;
use crate::companies::company::{CompanyChange, LONGEST_NAME, NewCompany};
use crate::companies::new_password::Owner;
use crate::companies::session::SignedIn;

/// The setting that contains the code's hash.
const CODE: &str = "first_run_code";

/// The first company and its owner.
#[derive(Clone)]
pub struct FirstRun {
    pub company_id: String,
    pub company_name: String,
    pub language: Language,
    pub zone: Zone,
    pub name: String,
    pub email: String,
    pub password: String,
}

impl fmt::Debug for FirstRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FirstRun(…)")
    }
}

impl App {
    /// Whether there is no company yet.
    pub fn awaits_first_run(&self) -> Result<bool, Error> {
        self.store.read_one(has_no_company)
    }

    /// A new code for the first run, which replaces the earlier one. `None` once there is a company.
    pub fn first_run_code(&self) -> Result<Option<AccessToken>, Error> {
        let code = AccessToken::generate(self.random.as_ref());
        let hash = code.hash();
        let is_kept = self.store.write(move |tx| {
            if !has_no_company(tx)? {
                return Ok(false);
            }
            store::setting::put(tx, CODE, &hash)?;
            Ok::<_, Error>(true)
        })?;
        Ok(is_kept.then_some(code))
    }

    /// Refuses a code that is wrong, was replaced, or has been used.
    pub fn check_first_run(&self, code: &str) -> Result<(), Error> {
        let hash = AccessToken::hash_of(code).ok_or(Error::NotFound(Subject::Link))?;
        let kept = self
            .store
            .read_one(|tx| store::setting::find(tx, CODE).map_err(Error::from))?;
        if kept.as_deref() == Some(hash.as_slice()) && self.awaits_first_run()? {
            Ok(())
        } else {
            Err(Error::NotFound(Subject::Link))
        }
    }

    /// Creates the first company with its owner, and signs them in.
    pub fn first_run(&self, code: &str, new: FirstRun) -> Result<SignedIn, Error> {
        self.check_first_run(code)?;
        let code = AccessToken::hash_of(code).ok_or(Error::NotFound(Subject::Link))?;
        let mut faults = Vec::new();
        let name = text::name(&new.name, "name", LONGEST_NAME, &mut faults);
        let email = collected(text::email(&new.email, "email"), &mut faults)?;
        let prepared = self.prepared_company(&NewCompany {
            id: new.company_id,
            name: new.company_name,
            key: KeyKind::default(),
            settings: CompanyChange {
                language: Some(new.language),
                zone: Some(new.zone),
                ..CompanyChange::default()
            },
        });
        let mut of_company = Vec::new();
        let prepared = collected(prepared, &mut of_company)?;
        faults.extend(of_company.into_iter().map(|fault| Fault {
            path: match fault.path.as_str() {
                "name" => "company_name".to_owned(),
                "id" => "company".to_owned(),
                _ => fault.path,
            },
            ..fault
        }));
        let (Some(email), Some(prepared)) = (email, prepared) else {
            return Err(Error::Unprocessable(faults));
        };
        let owner = Owner::new(prepared.company(), &email, &name);
        let hashed = collected(self.hash_new_password(Some(new.password), &owner), &mut faults)?;
        let (Some((hash, _)), true) = (hashed, faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let company = prepared.company().id.clone();
        let cookie = AccessToken::generate(self.random.as_ref());
        let (session, now) = (cookie.hash(), self.now());
        let expires_at = now
            .checked_add(self.settings.session_seconds.seconds())
            .map_err(|error| Error::internal("counting a session's lifetime", error))?;
        let logged = |action| Logged::of_operator(&company, action, now).through(Channel::Pages);
        let (added, joined) = (logged(Action::CompanyAdded), logged(Action::MemberAdded));
        self.store.write(move |tx| {
            // Of two forms that are sent at once, one finds the code.
            if !store::setting::take(tx, CODE, &code)? || !has_no_company(tx)? {
                return Err(Error::NotFound(Subject::Link));
            }
            prepared.write(tx)?;
            added.clone().setting(&prepared.settings()).write(tx)?;
            let company = &prepared.company().id;
            let member = store::member::insert(tx, company, &email, &name, Role::Owner, &hash, now)?
                .ok_or_else(|| Error::conflict(ConflictCode::MemberExists))?;
            joined.clone().about(member).write(tx)?;
            let member = store::member::find(tx, company, member)?.ok_or(Error::NotFound(Subject::Member))?;
            store::member::insert_session(tx, company, &member, &session, now, expires_at)?;
            Ok(())
        })?;
        tracing::info!(%company, "the first company was created in the browser");
        Ok(SignedIn { cookie, expires_at })
    }
}

fn has_no_company(tx: &mut dyn Transaction) -> Result<bool, Error> {
    Ok(store::company::list(tx)?.is_empty())
}

/// Collects what is wrong, so that the form names all of it at once.
fn collected<T>(result: Result<T, Error>, faults: &mut Vec<Fault>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Unprocessable(more)) => {
            faults.extend(more);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
