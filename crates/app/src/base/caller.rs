//! The caller: a member of a company, authenticated by an access token, a signed-in browser or the command line.

use domain::{CompanyId, Language, MemberId, Role, Zone};

use crate::App;
use crate::base::error::{Error, ForbiddenCode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// A program with an access token.
    Api,
    /// A person signed in on the pages.
    Pages,
    /// The operator at the command line.
    CommandLine,
}

impl Channel {
    /// The word used in the audit log.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Channel::Api => "api",
            Channel::Pages => "pages",
            Channel::CommandLine => "command_line",
        }
    }
}

/// A member whose credentials were just checked, with the company data that every response to them needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The company. Every query is limited to it.
    pub company: CompanyId,
    pub member: MemberId,
    pub name: String,
    pub email: String,
    pub role: Role,
    /// The company's language, for messages if the request specifies none.
    pub language: Language,
    /// The company's time zone, for dates if the request specifies none.
    pub zone: Zone,
    pub channel: Channel,
}

impl Caller {
    /// Refuses members with read-only access.
    pub fn must_send(&self) -> Result<(), Error> {
        if self.role.may_send() {
            Ok(())
        } else {
            Err(Error::Forbidden(ForbiddenCode::Role))
        }
    }
}

impl App {
    /// Looks up the member's current state, for work done on their behalf in the background. `None` if they may no
    /// longer send.
    pub(crate) fn member_caller(
        &self,
        company: &CompanyId,
        member: MemberId,
        channel: Channel,
    ) -> Result<Option<Caller>, Error> {
        let id = company.clone();
        let found = self.store.read(move |tx| {
            let Some(company) = store::company::find(tx, &id)? else {
                return Ok(None);
            };
            let member = store::member::find(tx, &id, member)?;
            Ok::<_, Error>(member.map(|member| (company, member)))
        })?;
        let sends = |member: &store::member::Member| member.disabled_at.is_none() && member.role.may_send();
        Ok(found
            .filter(|(_, member)| sends(member))
            .map(|(company, member)| Caller {
                company: company.id,
                member: member.id,
                name: member.name,
                email: member.email,
                role: member.role,
                language: company.language,
                zone: company.zone,
                channel,
            }))
    }
}
