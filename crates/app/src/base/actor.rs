//! Who acts for a company, and what they may do.
//!
//! A use-case that members or the operator ask for takes an [`Actor`]. An actor does not reveal its company: only a
//! [`Permit`] does, and only the `must_…` methods return one. So a use-case that forgets to ask what its actor may do
//! cannot even find the company's rows.
//!
//! Signers, visitors of public links and jobs are no actors: they act with the rights of their link, or of the service
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

/// The operator, who may do everything for a company, except what needs the name of a person.
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
    /// The same actor, whose request came from this network address.
    #[must_use]
    pub fn at(self, address: impl fmt::Display) -> Actor {
        Actor {
            address: Some(address.to_string()),
            ..self
        }
    }

    /// Whose share of threads and bodies the actor's work uses.
    pub fn requester(&self) -> Requester {
        Requester::Company(self.permit().company().clone())
    }

    /// The company's language, for messages if the request asks for none.
    pub fn language(&self) -> Language {
        self.permit().language()
    }

    /// The company's time zone, for dates if the request asks for none.
    pub fn zone(&self) -> Zone {
        self.permit().zone()
    }

    pub fn may(&self, access: Access) -> bool {
        self.permit().may(access)
    }

    /// Refuses an actor whose role does not allow this.
    pub fn must(&self, access: Access) -> Result<(), Error> {
        self.permitted(access).map(drop)
    }

    /// For what every member sees.
    pub(crate) fn must_read(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Read)
    }

    /// For what owners, admins and senders do.
    pub(crate) fn must_send(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Send)
    }

    /// For what owners and admins do.
    pub(crate) fn must_administer(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Administer)
    }

    /// For what owners alone do.
    pub(crate) fn must_own(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Own)
    }

    /// For the audit log.
    pub(crate) fn must_audit(&self) -> Result<Permit<'_>, Error> {
        self.permitted(Access::Audit)
    }

    /// For what only the operator does, with the whole installation in view.
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

/// An actor who was found to be allowed what they want.
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

    /// Refuses what this actor may not do besides.
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

    /// The member, for what bears a person's name: a document's sender, an entry of its audit trail.
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

    /// The actor as a template's version remembers them.
    pub(crate) fn label(self) -> &'a str {
        match &self.0.party {
            Party::Member(caller) => &caller.email,
            Party::Operator(_) => "command line",
        }
    }
}

impl App {
    /// The operator, who acts for this company at the command line. No request from the network ever becomes one.
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
