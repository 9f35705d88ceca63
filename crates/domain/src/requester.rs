//! For whom the server works. It decides whose share the work uses: of the threads, of the places for large bodies and of the
//! document workers ([`crate::turns`]).

use std::net::{IpAddr, Ipv4Addr};

use crate::{ClientNetwork, CompanyId, RecipientId, WorkflowId};

/// Whoever asks for something, as far as we know them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A company's members and programs.
    Company(CompanyId),
    /// The holder of a link of a company, within the share of that company.
    Link {
        /// Whose link it is.
        company: CompanyId,
        /// Who holds it.
        holder: LinkHolder,
    },
    /// Anybody else.
    Stranger(ClientNetwork),
    /// Somebody who signs in: a stranger until the password has been checked.
    SignIn {
        /// Where they are.
        network: ClientNetwork,
        /// The company that they name; none if there is no such company, so that made-up names give nobody more turns.
        company: Option<CompanyId>,
    },
}

/// Who holds a link. All links to one signer or one document are one holder's, whatever they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkHolder {
    /// A signer.
    Signer(RecipientId),
    /// Somebody who follows a document or fetches its files.
    Document(WorkflowId),
    /// Somebody who looks at a preview.
    Preview(i64),
    /// A visitor of a public link, which many people open: each network is a holder of its own.
    Visitor {
        /// The public link.
        link: i64,
        /// Where the visitor is.
        network: ClientNetwork,
    },
}

/// Those who share with each other, from a whole company down to one link.
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
    /// Somebody of whom we know nothing, such as whoever uses the command line.
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
