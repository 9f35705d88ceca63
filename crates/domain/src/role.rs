//! The permissions of members in their company.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A member's role. Each role has all permissions of the roles after it, except that an auditor only reads, including
/// the log of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Has all permissions. A company always has at least one owner.
    Owner,
    /// Manages members, clients, settings and templates.
    Admin,
    /// Manages templates and workflows.
    Sender,
    /// Reads everything in the company, including the log of changes, but changes nothing.
    Auditor,
}

/// The permission that a page, call or use case requires of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Views documents and templates.
    Read,
    /// Creates templates, and starts, changes and ends documents.
    Send,
    /// Changes members, API clients and the company's settings.
    Administer,
    /// Changes owners and the seal key, and permanently erases data.
    Own,
    /// Reads the log of changes.
    Audit,
}

impl Access {
    pub const ALL: [Self; 5] = [Self::Read, Self::Send, Self::Administer, Self::Own, Self::Audit];
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Sender, Self::Auditor];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Sender => "sender",
            Self::Auditor => "auditor",
        }
    }

    /// Parses the role's name, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str().eq_ignore_ascii_case(text))
    }

    /// Whether this role has the given permission.
    pub const fn may(self, access: Access) -> bool {
        match access {
            Access::Read => true,
            Access::Send => matches!(self, Self::Owner | Self::Admin | Self::Sender),
            Access::Administer => matches!(self, Self::Owner | Self::Admin),
            Access::Own => matches!(self, Self::Owner),
            Access::Audit => matches!(self, Self::Owner | Self::Admin | Self::Auditor),
        }
    }

    pub const fn may_send(self) -> bool {
        self.may(Access::Send)
    }

    pub const fn may_administer(self) -> bool {
        self.may(Access::Administer)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back_without_regard_to_case() {
        for role in Role::ALL {
            assert_eq!(Role::parse(&role.as_str().to_uppercase()), Some(role));
        }
        assert_eq!(Role::parse("root"), None);
    }

    #[test]
    fn each_role_may_do_what_the_table_of_roles_says() {
        let table = [
            (Role::Owner, [true, true, true, true, true]),
            (Role::Admin, [true, true, true, false, true]),
            (Role::Sender, [true, true, false, false, false]),
            (Role::Auditor, [true, false, false, false, true]),
        ];
        for (role, expected) in table {
            assert_eq!(Access::ALL.map(|access| role.may(access)), expected, "{role}");
        }
    }
}
