//! Claims due deliveries that can start, and releases the ones that cannot.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::Told;
use domain::CompanyId;
use failpoint::Place;
use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, Claim, Claimed, ClaimedChannel, DeliveryId, Lane};

use super::results::Done;
use super::secrets::SecretsFault;
use super::tries::Began;
use super::work::{Haul, locked};
use super::{NOTED_AT_ONCE, Shared};
use crate::shares::{Plan, Shares};

impl Shared {
    pub(super) fn claim(&self, number: u64, shares: &Mutex<Shares>) -> Result<Haul, app::Error> {
        let now = self.app.now();
        self.follow_clock(now)?;
        self.release_in_doubt(now)?;
        let due = self
            .app
            .store
            .read_one(move |tx| outbox::due_lanes(tx, now).map_err(app::Error::from))?;
        let Plan {
            lanes,
            has_left_out,
            must_yield,
            is_full,
        } = locked(shares).plan(&due, self.settings.batch as usize, self.made.elapsed());
        if lanes.is_empty() {
            return Ok(Haul {
                is_more_later: has_left_out,
                must_yield,
                ..Haul::default()
            });
        }
        let lease = format!("{}#{number}", self.settings.owner);
        let claim = Claim {
            lease: lease.clone(),
            owner: self.settings.owner.clone(),
            now,
            until: now.checked_add(self.settings.lease).unwrap_or(now),
            lanes,
        };
        let lanes_asked = claim.lanes.clone();
        let mut room: HashMap<Lane, u32> = lanes_asked.iter().cloned().collect();
        let taken = self
            .app
            .store
            .write_one_relaxed(move |tx| outbox::claim(tx, &claim).map_err(app::Error::from))
            .inspect_err(|error| {
                if matches!(error, app::Error::OutcomeUnknown(_)) {
                    self.claims_in_doubt().push(lease.clone());
                }
            })?;
        if !taken.claimed.is_empty() {
            failpoint::reach(Place::Claimed);
        }
        let mut haul = Haul {
            ready: Vec::with_capacity(taken.claimed.len()),
            must_yield,
            ..Haul::default()
        };
        let has_claimed = !taken.claimed.is_empty();
        for claimed in &taken.claimed {
            if let Some(room) = room.get_mut(&claimed.lane()) {
                *room = room.saturating_sub(1);
            }
        }
        self.sort_out(taken.claimed, now, &mut haul);
        let held = self.hold(taken.stopped, &lease, now);
        let asked = lanes_asked.into_iter();
        let gave_nothing = asked
            .filter(|(lane, allowed)| room.get(lane) == Some(allowed))
            .map(|(lane, _)| lane);
        let is_blocked = locked(shares).gave_nothing(gave_nothing);
        haul.may_be_more = held > 0 || !haul.unusable.is_empty() || is_full && (has_claimed || is_blocked);
        // A lane that used all its room may have more deliveries.
        haul.is_more_later = has_left_out || room.values().any(|left| *left == 0);
        Ok(haul)
    }

    /// Moves due times to the present if the clock was set back; otherwise they would be far in the future.
    fn follow_clock(&self, now: Timestamp) -> Result<(), app::Error> {
        let latest = self.latest_claim.fetch_max(now.as_microsecond(), Ordering::SeqCst);
        if now.as_microsecond() < latest {
            tracing::debug!("the clock was set back or this runner just started, so due times are checked");
            let store = &self.app.store;
            store.write_relaxed(move |tx| outbox::count_anew(tx, now).map_err(app::Error::from))?;
            self.latest_claim.store(now.as_microsecond(), Ordering::SeqCst);
        }
        Ok(())
    }

    /// Splits a claim into deliveries that can start and ones that cannot be sent. Releases deliveries whose secrets
    /// cannot be read now.
    fn sort_out(&self, taken: Vec<Claimed>, now: Timestamp, haul: &mut Haul) {
        let unreadable = self.read_secrets(&taken, now);
        let mut without_secrets = Vec::new();
        for claimed in taken {
            let reason = match &claimed.channel {
                ClaimedChannel::Webhook { client, .. } => unreadable.get(client),
                ClaimedChannel::Mail | ClaimedChannel::Message => None,
            };
            match reason {
                None => haul.ready.push(claimed),
                Some(SecretsFault::Unavailable) => without_secrets.push(claimed),
                Some(SecretsFault::Unreadable(reason)) => {
                    let result = self.not_sent(&claimed, Began::at(now), reason);
                    haul.unusable.push(Arc::new(Done { claimed, result }));
                }
            }
        }
        if !without_secrets.is_empty() {
            self.give_back(without_secrets);
        }
    }

    /// Releases the deliveries of claims that got no answer. If the server is still working on one, its lease expires
    /// instead.
    pub(super) fn release_in_doubt(&self, now: Timestamp) -> Result<(), app::Error> {
        let in_doubt = self.claims_in_doubt().clone();
        if in_doubt.is_empty() {
            return Ok(());
        }
        let (owner, leases) = (self.settings.owner.clone(), in_doubt.clone());
        self.app.store.write_relaxed(move |tx| {
            for lease in &leases {
                outbox::release_claim(tx, &owner, lease, now)?;
            }
            Ok::<_, app::Error>(())
        })?;
        self.claims_in_doubt().retain(|lease| !in_doubt.contains(lease));
        Ok(())
    }

    fn claims_in_doubt(&self) -> MutexGuard<'_, Vec<String>> {
        self.claims_in_doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the claimed deliveries of stopped endpoints, and other deliveries to the same endpoints, so that they are
    /// not claimed one by one. Returns how many were held.
    fn hold(&self, stopped: BTreeMap<(CompanyId, String), Vec<DeliveryId>>, lease: &str, now: Timestamp) -> u64 {
        let mut held = 0;
        for ((company, url), met) in stopped {
            let (store, lease) = (&self.app.store, lease.to_owned());
            match store.write_relaxed(move |tx| outbox::hold_claimed(tx, (&company, &url), &met, &lease, now)) {
                Ok(more) => held += more,
                Err(error) => {
                    tracing::warn!(%error, "deliveries of a stopped endpoint could not be held; we will try again at the next claim");
                }
            }
        }
        held
    }

    /// Releases deliveries that we cannot start now. If that fails too, their leases expire.
    fn give_back(&self, claimed: Vec<Claimed>) {
        let later = self.app.now() + SignedDuration::from_secs(1);
        let given_back = self.app.store.write_relaxed(move |tx| {
            for claimed in &claimed {
                outbox::release(tx, claimed.id, &claimed.lease, later)?;
            }
            Ok::<_, store::Error>(())
        });
        if let Err(error) = given_back {
            tracing::warn!(%error, "claimed deliveries could not be released; they will be tried when their leases expire");
        }
    }

    pub(super) fn note(&self, after: Told) -> Result<Option<Told>, app::Error> {
        let now = self.app.now();
        let until = now.checked_sub(self.settings.note_after).unwrap_or(now);
        self.app.note_deliveries(until, Some(after), NOTED_AT_ONCE)
    }

    /// Releases the next batch of deliveries held for an endpoint that is on again.
    pub(super) fn let_go(&self) -> Result<bool, app::Error> {
        let store = &self.app.store;
        let Some((company, url)) = store.read_one(|tx| outbox::letting_go(tx).map_err(app::Error::from))? else {
            return Ok(false);
        };
        let now = self.app.now();
        store.write_relaxed(move |tx| outbox::let_go(tx, &company, &url, now).map_err(app::Error::from))?;
        Ok(true)
    }
}
