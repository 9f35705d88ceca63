//! Origin of a request, as recorded in the audit trail.

use domain::text::is_direction_control;
use domain::{Actor, Who};

/// The network address of the person who acts, and their browser or program.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Origin {
    /// The address, without port.
    pub address: Option<String>,
    pub user_agent: Option<String>,
}

impl Origin {
    /// Maximum length of a stored User-Agent, so that strangers cannot fill the disk.
    const LONGEST: usize = 400;

    /// Returns an actor with this origin.
    pub fn actor(&self, who: Who) -> Actor {
        let cut = |text: &String| {
            text.chars()
                .filter(|character| !character.is_control() && !is_direction_control(*character))
                .take(Self::LONGEST)
                .collect::<String>()
                .into()
        };
        Actor {
            who,
            address: self.address.as_ref().map(cut),
            user_agent: self.user_agent.as_ref().map(cut),
        }
    }
}
