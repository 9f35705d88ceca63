//! Who acts for a company, and what they may do.
//!
//! A use case for members or the operator accepts an [`Actor`]. An actor does not reveal its company. Only a [`Permit`]
//! does, and only the `must_…` methods return one. So a use case that forgets to check permissions cannot even find the
//! company's rows.
//!
//! Signers, visitors of public links and jobs are not actors. They act with the rights of their link or of the service
//! ([decision 41](docs/adr/0041-who-acts.md)).

use std::fmt;

use domain::{Access, CompanyId, Language, Requester, Zone};

use crate::App;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{Error, ForbiddenCode};

/// Who acts for a company: a member, or the operator at the command line.
#[derive(Clone, PartialEq, Eq)]
pub struct Actor {
    party: Party,
    /// The network address of a member's request.
    address: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
enum Party {
    Member(Caller),
    Operator(Operator),
}

/// The operator, who may do everything for a company except what requires a person's name.
#[derive(Clone, PartialEq, Eq)]
struct Operator {
    company: CompanyId,
    language: Language,
    zone: Zone,
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.party {
            Party::Member(caller) => f.debug_tuple("Member").field(&caller.member).finish(),
            Party::Operator(operator) => f.debug_tuple("Operator").field(&operator.company).finish(),
        }
    }
}

impl From<Caller> for Actor {
    fn from(caller: Caller) -> Actor {
        Actor {
            party: Party::Member(caller),
            address: None,
        }
    }
}

impl Actor {
    /// Adds the network address that the request came from.
    #[must_use]
    pub fn at(self, address: impl fmt::Display) -> Actor {
        Actor {
            address: Some(address.to_string()),
            ..self
        }
    }

    /// The requester whose share of threads and bodies the actor's work uses.
    pub fn requester(&self) -> Requester {
        Requester::Company(self.permit().company().clone())
    }

    /// The company's language, for messages if the request specifies none.
    pub fn language(&self) -> Language {
        self.permit().language()
    }

    /// The company's time zone, for dates if the request specifies none.
    pub fn zone(&self) -> Zone {
        self.permit().zone()
    }

    pub fn may(&self, access: Access) -> bool {
        self.permit().may(access)
    }

    /// Refuses an actor whose role does not include this access.
    pub fn must(&self, access: Access) -> Result<(), Error> {
        self.permitted(access).map(drop)
    }

    /// Checks access that every member has.
    pub(crate) fn must_read(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Read)
    }

    /// Checks access that owners, admins and senders have.
    pub(crate) fn must_send(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Send)
    }

    /// Checks access that owners and admins have.
    pub(crate) fn must_administer(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Administer)
    }

    /// Checks access that only owners have.
    pub(crate) fn must_own(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Own)
    }

    /// Checks access to the audit log.
    pub(crate) fn must_audit(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Audit)
    }

    /// Checks access that only the operator has, to the whole installation.
    pub(crate) fn must_operate(&self) -> Result<Permit<'_>, Error> {
        match self.party {
            Party::Operator(_) => Ok(self.permit()),
            Party::Member(_) => Err(Error::Forbidden(ForbiddenCode::OperatorOnly)),
        }
    }

    fn permitted(&self, access: Access) -> Result<Permit<'_>, Error> {
        let permit = self.permit();
        permit.must(access)?;
        Ok(permit)
    }

    fn permit(&self) -> Permit<'_> {
        Permit(self)
    }
}

/// An actor who passed a permission check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permit<'a>(&'a Actor);

impl<'a> Permit<'a> {
    /// The company that the actor acts for. Every query is limited to it.
    pub(crate) fn company(self) -> &'a CompanyId {
        match &self.0.party {
            Party::Member(caller) => &caller.company,
            Party::Operator(operator) => &operator.company,
        }
    }

    pub(crate) fn language(self) -> Language {
        match &self.0.party {
            Party::Member(caller) => caller.language,
            Party::Operator(operator) => operator.language,
        }
    }

    pub(crate) fn zone(self) -> Zone {
        match &self.0.party {
            Party::Member(caller) => caller.zone,
            Party::Operator(operator) => operator.zone,
        }
    }

    pub(crate) fn may(self, access: Access) -> bool {
        match &self.0.party {
            Party::Member(caller) => caller.role.may(access),
            Party::Operator(_) => true,
        }
    }

    /// Checks a further permission of this actor.
    pub(crate) fn must(self, access: Access) -> Result<(), Error> {
        if self.may(access) {
            return Ok(());
        }
        Err(Error::Forbidden(match access {
            Access::Read | Access::Send => ForbiddenCode::Role,
            Access::Administer | Access::Audit => ForbiddenCode::AdminsOnly,
            Access::Own => ForbiddenCode::OwnersOnly,
        }))
    }

    /// The member, for records that carry a person's name: a document's sender, or an entry of its audit trail.
    pub(crate) fn member(self) -> Result<&'a Caller, Error> {
        match &self.0.party {
            Party::Member(caller) => Ok(caller),
            Party::Operator(_) => Err(Error::Forbidden(ForbiddenCode::MembersOnly)),
        }
    }

    pub(crate) fn channel(self) -> Channel {
        match &self.0.party {
            Party::Member(caller) => caller.channel,
            Party::Operator(_) => Channel::CommandLine,
        }
    }

    /// The network address that the request came from.
    pub(crate) fn address(self) -> Option<&'a str> {
        self.0.address.as_deref()
    }

    /// The name of the actor, as recorded in a template version.
    pub(crate) fn label(self) -> &'a str {
        match &self.0.party {
            Party::Member(caller) => &caller.email,
            Party::Operator(_) => "command line",
        }
    }
}

impl App {
    /// Returns the operator, who acts for this company at the command line. No network request can act as the operator.
    pub fn operator(&self, company: &CompanyId) -> Result<Actor, Error> {
        let company = self.company(company)?;
        Ok(Actor {
            party: Party::Operator(Operator {
                company: company.id,
                language: company.language,
                zone: company.zone,
            }),
            address: None,
        })
    }
}
