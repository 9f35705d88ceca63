//! Who asks: a member of a company, by an access token, a signed-in browser or the command line.

use domain::{CompanyId, Language, MemberId, Role, UtcOffset};

use crate::error::{Error, ForbiddenCode};

/// How the caller came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// A program with an access token.
    Api,
    /// A person signed in on the pages.
    Pages,
    /// The operator at the command line, in a member's or the company's name.
    CommandLine,
}

/// A member whose credentials were just checked, with what every answer to him needs of his company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The company: every query is held to it.
    pub company: CompanyId,
    /// The member.
    pub member: MemberId,
    /// His name.
    pub name: String,
    /// His e-mail address.
    pub email: String,
    /// What he may do.
    pub role: Role,
    /// The company's language: for messages where the request asks for none.
    pub language: Language,
    /// The company's offset: for dates where the request asks for none.
    pub offset: UtcOffset,
    /// How he came.
    pub channel: Channel,
}

impl Caller {
    /// Refuses who may only read.
    pub fn must_send(&self) -> Result<(), Error> {
        if self.role.may_send() {
            Ok(())
        } else {
            Err(Error::Forbidden(ForbiddenCode::Role))
        }
    }
}
