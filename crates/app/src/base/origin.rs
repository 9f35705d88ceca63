//! Where a request came from, as the audit chain keeps it.

use domain::text::is_direction_control;
use domain::{Actor, Who};

/// The network address and the browser or program of the person who acts.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Origin {
    /// The address, without port.
    pub address: Option<String>,
    /// The User-Agent header.
    pub user_agent: Option<String>,
}

impl Origin {
    /// The longest User-Agent that is kept; what a stranger sends must not fill the disk.
    const LONGEST: usize = 400;

    /// An actor at this origin.
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
