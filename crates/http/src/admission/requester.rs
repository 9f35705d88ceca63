//! Identifies who sent a request before its body is read, so that all its work counts for them.
//!
//! This requires a database query, and anyone can cause one. So these queries have their own threads
//! ([`Http::look_up`]), which networks share, and a flood of invalid tokens delays nobody else.

use std::net::IpAddr;

use app::{Error, LinkToken, MemberSession};
use axum::extract::FromRequestParts as _;
use axum::http::request::Parts;
use domain::{ClientNetwork, LinkHolder, RecipientId, Requester, WorkflowId};

use crate::frame::caller::{Authenticated, SESSION_COOKIE, SignedIn};
use crate::frame::client_address::ClientAddress;
use crate::frame::link_owners::{Subject, subject};
use crate::frame::link_token::link_token;
use crate::frame::query::Query;
use crate::frame::route::Authority;
use crate::frame::state::Http;
use crate::html::request::PageRequest;

/// Returns the requester of a request to a route with this authority.
pub async fn requester_of(http: &Http, authority: Authority, parts: &mut Parts) -> Result<Requester, Error> {
    let network = network_of(http, parts).await;
    let known = match authority {
        // The token was checked earlier.
        Authority::AccessToken(_) => {
            let caller = parts.extensions.get::<Authenticated>();
            caller.map(|Authenticated(caller)| caller.requester())
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
        Authority::Session(_) => {
            let session = session_of(http, parts, network).await?;
            session.map(|session| {
                let requester = session.actor.requester();
                parts.extensions.insert(SignedIn(session));
                requester
            })
        }
        // A form cannot be examined before it is read.
        Authority::Public => None,
    };
    Ok(known.unwrap_or(Requester::Stranger(network)))
}

pub async fn network_of(http: &Http, parts: &mut Parts) -> ClientNetwork {
    ClientNetwork::of(address_of(http, parts).await)
}

pub async fn address_of(http: &Http, parts: &mut Parts) -> IpAddr {
    match ClientAddress::from_request_parts(parts, http).await {
        Ok(client) => client.address,
        Err(never) => match never {},
    }
}

/// Returns a valid link token from a header or from the address.
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
        Ok(session) => Ok(Some(MemberSession {
            actor: session.actor.at(page.client.address),
            ..session
        })),
        Err(Error::Unauthenticated) => Ok(None),
        Err(error) => Err(error),
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

    use app::LinkPurpose;

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
}
