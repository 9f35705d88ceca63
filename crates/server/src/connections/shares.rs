//! Limits each address to its share of the places for connections, and for requests through a proxy.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use domain::ClientNetwork;
use hyper::body::{Frame, SizeHint};

/// The number of places that each address occupies.
#[derive(Debug, Clone)]
pub(super) struct Shares {
    counted: Arc<Mutex<HashMap<ClientNetwork, usize>>>,
    most: usize,
}

/// One occupied place of an address, freed on drop.
#[derive(Debug)]
pub(super) struct Held {
    shares: Shares,
    network: ClientNetwork,
}

impl Shares {
    pub(super) fn new(most: usize) -> Shares {
        Shares {
            counted: Arc::default(),
            most: most.max(1),
        }
    }

    /// Occupies one more place for an address. `None` if its share is used up.
    pub(super) fn one_more(&self, address: IpAddr) -> Option<Held> {
        let network = ClientNetwork::of(address);
        let mut counted = self.counted();
        let count = counted.entry(network).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Held {
            shares: self.clone(),
            network,
        })
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<ClientNetwork, usize>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.shares.counted().entry(self.network) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Keeps the place of a response that is made but not yet sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Unsent(Arc<Mutex<Option<Held>>>);

impl Unsent {
    /// Frees the place, because the whole response has been sent.
    pub(super) fn is_sent(&self) {
        self.kept().take();
    }

    fn kept(&self) -> MutexGuard<'_, Option<Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response body that occupies its client's place until it is sent. hyper drops a body before that.
pub(super) struct HeldBody {
    body: Body,
    held: Option<Held>,
    unsent: Unsent,
}

impl HeldBody {
    pub(super) fn new(body: Body, held: Held, unsent: Unsent) -> HeldBody {
        HeldBody {
            body,
            held: Some(held),
            unsent,
        }
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        *self.unsent.kept() = self.held.take();
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_gets_it_back() {
        let shares = Shares::new(2);
        let of = |address: &str| shares.one_more(address.parse().expect("an address"));
        let (one, two) = (of("2001:db8::1"), of("2001:db8::2"));
        assert!(of("2001:db8::3").is_none(), "a network of IPv6 is one visitor");
        assert!(of("2001:db8:0:1::1").is_some() && of("192.0.2.1").is_some());
        drop(one);
        assert!(of("2001:db8::3").is_some());
        drop(two);
        assert!(shares.counted().is_empty(), "nobody is remembered who holds nothing");
    }
}
