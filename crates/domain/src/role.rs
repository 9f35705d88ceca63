//! What a member may do in their company.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A member's role. Each may do what the next one may, except that an auditor only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything; a company keeps at least one.
    Owner,
    /// Members, clients, settings and templates.
    Admin,
    /// Templates and workflows.
    Sender,
    /// Reads everything of the company, changes nothing.
    Auditor,
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

    /// Reads the word, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str().eq_ignore_ascii_case(text))
    }

    /// May start, change and end workflows, and make templates.
    pub const fn may_send(self) -> bool {
        matches!(self, Self::Owner | Self::Admin | Self::Sender)
    }

    /// May change members, clients and the company's settings.
    pub const fn may_administer(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
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
}
