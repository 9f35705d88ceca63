//! Members, whom the operator adds and disables, and for whom the operator sets new passwords.
//!
//! Only an owner can change owners, so that an admin cannot take over an owner's account by setting its password.
//!
//! A new password or a disabled account ends every access token and session at once.

use std::fmt;

use domain::{Access, CompanyId, MemberId, Role};
use serde_json::json;
use store::Transaction;
use store::member::{Disabled, Member};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{ConflictCode, Error, ForbiddenCode, Subject};
use crate::base::text;
use crate::companies::company::LONGEST_NAME;
use crate::companies::new_password;
use crate::companies::new_password::Owner;

#[derive(Clone)]
pub struct NewMember {
    /// The address to sign in with.
    pub email: String,
    /// The member's name. `None` uses the address.
    pub name: Option<String>,
    pub role: Role,
    /// The password. `None` generates one.
    pub password: Option<String>,
}

impl fmt::Debug for NewMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewMember")
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

/// A password that was set.
pub struct NewPassword {
    pub member: MemberId,
    /// The password if it was generated here. It must be shown only once.
    pub made: Option<String>,
    /// Number of active access tokens that were revoked.
    pub revoked_tokens: u64,
}

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewPassword")
            .field("member", &self.member)
            .finish_non_exhaustive()
    }
}

impl App {
    pub fn add_member(&self, actor: &Actor, new: NewMember) -> Result<NewPassword, Error> {
        let by = actor.must_administer()?;
        must_change(by.may(Access::Own), new.role)?;
        let email = text::email(&new.email, "email")?;
        let mut faults = Vec::new();
        let name = text::name(new.name.as_deref().unwrap_or(&email), "name", LONGEST_NAME, &mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = self.company(by.company())?;
        let (hash, made) = self.hash_new_password(new.password, &Owner::new(&company, &email, &name))?;
        let (company, role, at) = (company.id, new.role, self.now());
        let logged = by.logs(Action::MemberAdded, at).setting(&json!({"role": role}));
        let member = self.store.write(move |tx| {
            let member = store::member::insert(tx, &company, &email, &name, role, &hash, at)?
                .ok_or_else(|| Error::conflict(ConflictCode::MemberExists))?;
            logged.clone().about(member).write(tx)?;
            Ok::<_, Error>(member)
        })?;
        tracing::info!(%member, %role, "member added");
        Ok(NewPassword {
            member,
            made,
            revoked_tokens: 0,
        })
    }

    pub fn set_member_password(
        &self,
        actor: &Actor,
        email: &str,
        password: Option<String>,
    ) -> Result<NewPassword, Error> {
        let by = actor.must_administer()?;
        let of = self.company(by.company())?;
        let (company, address) = (of.id.clone(), email.to_owned());
        let member = self.store.read(move |tx| find(tx, &company, &address))?;
        must_change(by.may(Access::Own), member.role)?;
        let (hash, made) = self.hash_new_password(password, &Owner::new(&of, &member.email, &member.name))?;
        let member = member.id;
        let (company, at) = (of.id, self.now());
        let logged = by.logs(Action::PasswordSet, at).about(member);
        let revoked_tokens = self.store.write(move |tx| {
            logged.write(tx)?;
            store::member::set_password(tx, &company, member, &hash, at).map_err(Error::from)
        })?;
        tracing::info!(%member, revoked_tokens, "password set");
        Ok(NewPassword {
            member,
            made,
            revoked_tokens,
        })
    }

    /// Disables a member. Returns `false` if they were already disabled. The last owner cannot be disabled.
    pub fn disable_member(&self, actor: &Actor, email: &str) -> Result<bool, Error> {
        let by = actor.must_administer()?;
        let (company, email, at) = (by.company().clone(), email.to_owned(), self.now());
        let owns = by.may(Access::Own);
        let logged = by.logs(Action::MemberDisabled, at);
        let disabled = self.store.write(move |tx| {
            let member = find(tx, &company, &email)?;
            must_change(owns, member.role)?;
            match store::member::disable(tx, &company, &email, at)? {
                Disabled::Unknown => Err(Error::NotFound(Subject::Member)),
                Disabled::LastOwner => Err(Error::conflict(ConflictCode::LastOwner)),
                Disabled::Before => Ok(false),
                Disabled::Now => {
                    logged.clone().about(member.id).write(tx)?;
                    Ok(true)
                }
            }
        })?;
        tracing::info!(disabled, "member disabled");
        Ok(disabled)
    }

    pub fn members(&self, actor: &Actor) -> Result<Vec<Member>, Error> {
        let company = actor.must_administer()?.company().clone();
        self.store
            .read(move |tx| store::member::list(tx, &company).map_err(Error::from))
    }

    pub(in crate::companies) fn hash_new_password(
        &self,
        given: Option<String>,
        owner: &Owner,
    ) -> Result<(String, Option<String>), Error> {
        let random = self.random.as_ref();
        let made = match given {
            Some(_) => None,
            None => Some(new_password::generate(random, owner)?),
        };
        let password = given.or_else(|| made.clone()).unwrap_or_default();
        new_password::check(&password, owner, "password")?;
        let hash = self.passwords.turn()?.hash(&password, random)?;
        Ok((hash, made))
    }
}

/// Refuses a change of an owner by somebody who is not an owner.
fn must_change(owns: bool, role: Role) -> Result<(), Error> {
    if role == Role::Owner && !owns {
        return Err(Error::Forbidden(ForbiddenCode::OwnersOnly));
    }
    Ok(())
}

/// Finds a member by address, ignoring case.
fn find(tx: &mut dyn Transaction, company: &CompanyId, email: &str) -> Result<Member, Error> {
    store::member::find_by_email(tx, company, email)?.ok_or(Error::NotFound(Subject::Member))
}
