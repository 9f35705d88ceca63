//! The people and programs the server works for. The requester decides whose share of threads, of places for large
//! bodies and of document workers the work uses ([`crate::turns`]).

use std::net::{IpAddr, Ipv4Addr};

use crate::{ClientNetwork, CompanyId, RecipientId, WorkflowId};

/// The requester, as far as we know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A company's members and programs.
    Company(CompanyId),
    /// The holder of a company's link, within that company's share.
    Link { company: CompanyId, holder: LinkHolder },
    /// Anyone else.
    Stranger(ClientNetwork),
    /// Someone who signs in: a stranger until the password has been checked.
    SignIn {
        network: ClientNetwork,
        /// The company that they name. `None` if there is no such company, so that invented names give nobody more
        /// turns.
        company: Option<CompanyId>,
    },
}

/// The holder of a link. All links to one signer or one document have the same holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkHolder {
    Signer(RecipientId),
    /// Someone who follows a document or downloads its files.
    Document(WorkflowId),
    /// Someone who views a preview.
    Preview(i64),
    /// A visitor of a public link. Many people open one, so each network is a separate holder.
    Visitor {
        link: i64,
        network: ClientNetwork,
    },
}

/// A group of requesters that share with each other, from a whole company down to one link.
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

    /// The circles that a requester belongs to, widest first.
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
