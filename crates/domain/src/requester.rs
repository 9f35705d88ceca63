//! The people and programs the server works for. The requester determines whose share of threads, places for large
//! bodies and document workers is used ([`crate::turns`]).

use std::net::{IpAddr, Ipv4Addr};

use crate::{ClientNetwork, CompanyId, RecipientId, WorkflowId};

/// The requester, as far as it has been identified.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A company's members and programs.
    Company(CompanyId),
    /// The holder of a company's link, within that company's share.
    Link { company: CompanyId, holder: LinkHolder },
    /// Anyone else.
    Stranger(ClientNetwork),
    /// Someone who is signing in. They count as a stranger until the password has been checked.
    SignIn {
        network: ClientNetwork,
        /// The company they name. `None` if it does not exist, so that made-up names earn no extra turns.
        company: Option<CompanyId>,
    },
}

/// The holder of a link. All links to one signer or one document have the same holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkHolder {
    Signer(RecipientId),
    /// Someone who tracks a document or downloads its files.
    Document(WorkflowId),
    /// Someone who views a preview.
    Preview(i64),
    /// A visitor to a public link. Many people open the same link, so each network is a separate holder.
    Visitor {
        link: i64,
        network: ClientNetwork,
    },
}

/// A group of requesters that share places, from a whole company down to one link.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Circle {
    Company(CompanyId),
    Programs(CompanyId),
    Links(CompanyId),
    Link(LinkHolder),
    Strangers,
    Network(ClientNetwork),
    SignIn(ClientNetwork, Option<CompanyId>),
}

impl Requester {
    /// An unknown requester, such as a user of the command line.
    pub fn unknown() -> Self {
        Self::Stranger(ClientNetwork::of(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
    }

    /// Returns the circles that a requester belongs to, widest first.
    pub(crate) fn circles(&self) -> Vec<Circle> {
        match self {
            Self::Company(company) => vec![Circle::Company(company.clone()), Circle::Programs(company.clone())],
            Self::Link { company, holder } => vec![
                Circle::Company(company.clone()),
                Circle::Links(company.clone()),
                Circle::Link(*holder),
            ],
            Self::Stranger(network) => vec![Circle::Strangers, Circle::Network(*network)],
            Self::SignIn { network, company } => vec![
                Circle::Strangers,
                Circle::Network(*network),
                Circle::SignIn(*network, company.clone()),
            ],
        }
    }
}
