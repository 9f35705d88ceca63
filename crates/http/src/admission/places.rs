//! Places for large bodies: limited in number and shared fairly.
//!
//! A body of up to one mebibyte needs no place. From the holder of a link, a body no larger than the text of a draft
//! needs none. A place is needed until the request is answered if the body is larger, does not state its length, or
//! contains a file from someone who is not a member. So memory contains a limited number of large bodies, and few small
//! images are decoded at once, which can be expensive. Programs, holders of links and strangers have separate places,
//! which they share by the rule of [`domain::turns`].

use app::Error;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use domain::Requester;
use domain::turns::Bounds;

use super::requester::requester_of;
use crate::body::arrival::{KNOWN, STRANGERS, Timed};
use crate::frame::blocking::answering;
use crate::frame::problem::Failure;
use crate::frame::route::Authority;
use crate::frame::shares::{Shares, Turn};
use crate::frame::state::Http;
use crate::html::request::PageRequest;

/// Largest body that needs no place.
const SMALL: u64 = 1024 * 1024;
/// Largest body from the holder of a link that needs no place: all texts of a draft, with a comment and the JSON around
/// them.
const SMALL_OF_LINK: u64 = app::LARGEST_DRAFT as u64 + 32 * 1024;
/// Places for programs and members. Waiting requests have not received their bodies.
const OF_COMPANIES: Bounds = Bounds {
    places: 8,
    of_link: 1,
    waiting_of_one: 0,
    waiting_of_group: 32,
};
/// Places for holders of links, whose bodies are smaller. A page sends one file after another, and may be open twice.
const OF_LINKS: Bounds = Bounds {
    places: 12,
    of_link: 2,
    waiting_of_one: 4,
    waiting_of_group: 32,
};
/// Places for strangers, who use at most half of them, and at most three per network.
const OF_STRANGERS: Bounds = Bounds {
    places: 8,
    of_link: 1,
    waiting_of_one: 0,
    waiting_of_group: 16,
};

#[derive(Debug, Clone)]
pub struct Places {
    companies: Shares,
    links: Shares,
    strangers: Shares,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            companies: Shares::new(OF_COMPANIES),
            links: Shares::new(OF_LINKS),
            strangers: Shares::new(OF_STRANGERS),
        }
    }
}

impl Places {
    /// Waits for a place for a body of this requester.
    async fn wait(&self, requester: &Requester) -> Result<Turn, Error> {
        let places = match requester {
            Requester::Company(_) => &self.companies,
            Requester::Link { .. } => &self.links,
            Requester::Stranger(_) | Requester::SignIn { .. } => &self.strangers,
        };
        places.turn(requester).await
    }
}

/// The data that [`in_turn`] needs about its route.
#[derive(Clone)]
pub struct Turns {
    pub http: Http,
    pub authority: Authority,
    /// Whether people upload files to this route.
    pub takes_files: bool,
    /// The places, shared by all routes.
    pub places: Places,
}

/// Runs a request with a large body once there is a place for it, and sets a deadline for every body.
pub async fn in_turn(State(turns): State<Turns>, request: Request, next: Next) -> Result<Response, Failure> {
    let (mut parts, body) = request.into_parts();
    let requester = match requester_of(&turns.http, turns.authority, &mut parts).await {
        Ok(requester) => requester,
        // Members see pages, so answer with a page.
        Err(error) if matches!(turns.authority, Authority::Session(_)) => {
            let page = PageRequest::of(&mut parts, &turns.http).await;
            return Ok(page.fail(&error, page.language()));
        }
        Err(error) => return Err(error.into()),
    };
    let most = match requester {
        _ if turns.takes_files => 0,
        Requester::Link { .. } => SMALL_OF_LINK,
        Requester::Company(_) | Requester::Stranger(_) | Requester::SignIn { .. } => SMALL,
    };
    let pace = match requester {
        Requester::Stranger(_) | Requester::SignIn { .. } => STRANGERS,
        Requester::Company(_) | Requester::Link { .. } => KNOWN,
    };
    let _place = if body.size_hint().upper().is_some_and(|size| size <= most) {
        None
    } else {
        Some(turns.places.wait(&requester).await?)
    };
    let body = if body.is_end_stream() {
        body
    } else {
        Body::new(Timed::new(body, pace))
    };
    Ok(answering(requester, next.run(Request::from_parts(parts, body))).await)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use domain::{ClientNetwork, CompanyId, LinkHolder, RecipientId};
    use tokio::time::Instant;

    use super::*;

    fn company(id: &str) -> CompanyId {
        CompanyId::parse(id).expect("a company's id")
    }

    fn program(of: &str) -> Requester {
        Requester::Company(company(of))
    }

    /// Returns the holder of a company's link. Signers below 100 belong to acme.
    fn link(signer: i64) -> Requester {
        Requester::Link {
            company: company(if signer < 100 { "acme" } else { "other" }),
            holder: LinkHolder::Signer(RecipientId(signer)),
        }
    }

    fn stranger(number: u8) -> Requester {
        Requester::Stranger(ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number))))
    }

    /// Takes every place that these requesters can get. Returns the number of places.
    async fn fill(places: &Places, requesters: &[Requester], held: &mut Vec<Turn>) -> usize {
        let before = held.len();
        for requester in requesters {
            while let Ok(place) = places.wait(requester).await {
                held.push(place);
            }
        }
        held.len() - before
    }

    async fn has_room_at_once(places: &Places, requester: &Requester) -> bool {
        let began = Instant::now();
        places.wait(requester).await.is_ok() && began.elapsed() == Duration::ZERO
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_wait_for_strangers_alone_and_one_network_for_itself() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[stranger(1)], &mut held).await, 3);
        assert!(has_room_at_once(&places, &stranger(2)).await, "another network");
        fill(&places, &[stranger(2), stranger(3)], &mut held).await;
        assert_eq!(held.len(), 4, "half of their places, so that memory is bounded");
        assert!(has_room_at_once(&places, &program("acme")).await);
        assert!(has_room_at_once(&places, &link(1)).await);
        drop(held);
        assert!(has_room_at_once(&places, &stranger(1)).await);
    }

    #[tokio::test(start_paused = true)]
    async fn one_companys_programs_keep_neither_others_nor_its_own_signers_out() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[program("acme")], &mut held).await, 4);
        assert!(has_room_at_once(&places, &program("other")).await);
        assert!(
            has_room_at_once(&places, &link(1)).await,
            "a signer of the same company"
        );
        fill(&places, &[program("other"), program("third")], &mut held).await;
        assert!(has_room_at_once(&places, &link(1)).await, "when all programs wait");
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_takes_its_own_share_and_all_links_of_a_company_theirs() {
        let (places, mut held) = (Places::default(), Vec::new());
        assert_eq!(fill(&places, &[link(1)], &mut held).await, OF_LINKS.of_link);
        assert!(has_room_at_once(&places, &link(2)).await, "another signer");
        let many: Vec<Requester> = (1..20).map(link).collect();
        fill(&places, &many, &mut held).await;
        assert_eq!(held.len(), OF_LINKS.places / 2, "however many links there are");
        assert!(has_room_at_once(&places, &program("acme")).await, "its programs");
        assert!(has_room_at_once(&places, &link(100)).await, "another company's signer");
        drop(held);
        assert!(has_room_at_once(&places, &link(1)).await);
    }

    /// A character uses up to four bytes in any script, and a line break two.
    #[test]
    fn as_much_text_as_a_draft_may_have_needs_no_place() {
        let longest = "\u{1F58B}".repeat(domain::Field::TEXT_LIMIT as usize);
        let most = app::LARGEST_DRAFT / longest.len();
        let values: Vec<_> = (0..most)
            .map(|number| serde_json::json!({"name": format!("field {number}"), "value": longest}))
            .collect();
        let body = serde_json::json!({"values": values, "revision": u64::MAX, "page": "x".repeat(32)});
        assert!(most > 10 && body.to_string().len() as u64 <= SMALL_OF_LINK);
    }
}
