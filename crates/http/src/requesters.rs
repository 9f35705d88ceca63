//! Who is behind a request: known before its body is read, so that everything it takes counts as theirs.
//!
//! Finding that out takes a look into the database, which anybody can ask for. Such look-ups have threads of their own
//! ([`Http::look_up`]), shared by the networks that ask: a flood of tokens that are no good keeps nobody else waiting.

use app::{Error, LinkPurpose, LinkToken, MemberSession};
use axum::extract::FromRequestParts as _;
use axum::http::request::Parts;
use domain::{ClientNetwork, CompanyId, LinkHolder, RecipientId, Requester, WorkflowId};
use moka::sync::Cache;

use crate::bodies::link_token;
use crate::client_address::ClientAddress;
use crate::pages::members::SESSION_COOKIE;
use crate::pages::request::PageRequest;
use crate::query::Query;
use crate::router::{Authenticated, Authority, Http};

/// Of how many links it is remembered whose they are: those that were used last.
const MOST_REMEMBERED: u64 = 20_000;

/// Which companies made which links. That never changes; none if what a link leads to is gone, which does not come back.
#[derive(Debug, Clone)]
pub struct LinkOwners(Cache<(Subject, i64), Option<CompanyId>>);

/// What a link leads to, which tells whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Signer,
    Document,
    Preview,
    PublicLink,
}

impl Default for LinkOwners {
    fn default() -> Self {
        Self(Cache::new(MOST_REMEMBERED))
    }
}

impl LinkOwners {
    async fn of(
        &self,
        token: LinkToken,
        look_up: impl Future<Output = Result<Option<CompanyId>, Error>>,
    ) -> Result<Option<CompanyId>, Error> {
        let key = (subject(token.purpose), token.subject);
        if let Some(known) = self.0.get(&key) {
            return Ok(known);
        }
        let owner = look_up.await?;
        self.0.insert(key, owner.clone());
        Ok(owner)
    }
}

/// A member who is signed in, of a `Session` route: found by the frame, so that what they do counts as their company's.
#[derive(Debug, Clone)]
pub struct SignedIn(pub MemberSession);

/// Who is behind a request to a route with this authority.
pub async fn requester_of(http: &Http, authority: Authority, parts: &mut Parts) -> Result<Requester, Error> {
    let network = network_of(http, parts).await;
    let known = match authority {
        // The frame has judged the token before.
        Authority::AccessToken(_) => {
            let caller = parts.extensions.get::<Authenticated>();
            caller.map(|Authenticated(caller)| Requester::Company(caller.company.clone()))
        }
        Authority::LinkToken => match token_of(http, parts) {
            Some(token) => {
                let look_up = http.look_up(network, move |app| app.company_behind_link(token));
                let company = http.link_owners().of(token, look_up).await?;
                company.map(|company| Requester::Link {
                    company,
                    holder: holder(token, network),
                })
            }
            None => None,
        },
        Authority::Session => {
            let session = session_of(http, parts, network).await?;
            session.map(|session| {
                let company = session.caller.company.clone();
                parts.extensions.insert(SignedIn(session));
                Requester::Company(company)
            })
        }
        // What a form says is not known before it is read.
        Authority::Public => None,
    };
    Ok(known.unwrap_or(Requester::Stranger(network)))
}

/// The network that a request comes from.
pub async fn network_of(http: &Http, parts: &mut Parts) -> ClientNetwork {
    match ClientAddress::from_request_parts(parts, http).await {
        Ok(client) => ClientNetwork::of(client.address),
        Err(never) => match never {},
    }
}

/// A token that we made: it stands in a header, or in the address.
fn token_of(http: &Http, parts: &Parts) -> Option<LinkToken> {
    let token = link_token(&parts.headers)
        .map(str::to_owned)
        .or_else(|| Query::of(&parts.uri).owned("token"))?;
    LinkToken::decode(&token, &http.app().vault)
}

async fn session_of(http: &Http, parts: &mut Parts, network: ClientNetwork) -> Result<Option<MemberSession>, Error> {
    let page = PageRequest::of(parts, http).await;
    let Some(cookie) = page.cookie(SESSION_COOKIE).map(str::to_owned) else {
        return Ok(None);
    };
    match http.look_up(network, move |app| app.session(&cookie)).await {
        Ok(session) => Ok(Some(session)),
        Err(Error::Unauthenticated) => Ok(None),
        Err(error) => Err(error),
    }
}

fn subject(purpose: LinkPurpose) -> Subject {
    match purpose {
        LinkPurpose::Sign
        | LinkPurpose::SignDelivered
        | LinkPurpose::SignersDocument
        | LinkPurpose::SignersCertificate => Subject::Signer,
        LinkPurpose::View | LinkPurpose::Watch | LinkPurpose::Document | LinkPurpose::Certificate => Subject::Document,
        LinkPurpose::Preview => Subject::Preview,
        LinkPurpose::Start => Subject::PublicLink,
    }
}

fn holder(token: LinkToken, network: ClientNetwork) -> LinkHolder {
    let id = token.subject;
    match subject(token.purpose) {
        Subject::Signer => LinkHolder::Signer(RecipientId(id)),
        Subject::Document => LinkHolder::Document(WorkflowId(id)),
        Subject::Preview => LinkHolder::Preview(id),
        Subject::PublicLink => LinkHolder::Visitor { link: id, network },
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn token(purpose: LinkPurpose, subject: i64) -> LinkToken {
        LinkToken {
            purpose,
            subject,
            version: 1,
            expires: None,
        }
    }

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
    }

    #[test]
    fn the_links_of_one_signer_are_one_holders_and_each_visitor_of_a_public_link_is_one() {
        let held = |purpose, number| holder(token(purpose, 7), network(number));
        assert_eq!(held(LinkPurpose::Sign, 1), held(LinkPurpose::SignersDocument, 2));
        assert_eq!(held(LinkPurpose::View, 1), held(LinkPurpose::Certificate, 2));
        assert_ne!(held(LinkPurpose::Sign, 1), held(LinkPurpose::View, 1));
        assert_eq!(held(LinkPurpose::Start, 1), held(LinkPurpose::Start, 1));
        assert_ne!(held(LinkPurpose::Start, 1), held(LinkPurpose::Start, 2));
    }

    #[tokio::test]
    async fn whose_a_link_is_is_looked_up_once_even_if_it_is_nobodys() {
        let owners = LinkOwners::default();
        let acme = CompanyId::parse("acme").ok();
        for (token, owner) in [
            (token(LinkPurpose::Sign, 1), acme.clone()),
            (token(LinkPurpose::Preview, 1), acme),
            (token(LinkPurpose::Document, 1), None),
        ] {
            let first = owners.of(token, async { Ok(owner.clone()) }).await;
            assert_eq!(first.expect("it is looked up"), owner);
            let again = owners.of(token, async { panic!("it is known") }).await;
            assert_eq!(again.expect("it is known"), owner);
        }
        let failed = owners
            .of(token(LinkPurpose::Sign, 2), async { Err(Error::busy(1)) })
            .await;
        assert!(failed.is_err());
        let later = owners.of(token(LinkPurpose::Sign, 2), async { Ok(None) }).await;
        assert!(later.is_ok(), "a failure is no answer");
    }
}
