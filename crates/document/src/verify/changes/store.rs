//! Changes of the validation data: a document security store (ISO 32000-2, 12.8.4.3) that grows.

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::digest::{SHA256, digest};

use super::{Change, Comparison, How, Part};
use crate::pdf::{Dict, Object, View};
use crate::pki::revocation::MAX_ITEMS;
use crate::verify::embedded::MAX_STORE;
use crate::verify::reading::{Reading, are_same};

/// Divisor of [`MAX_STORE`] and [`MAX_ITEMS`] that limits the data of others, to leave room for ours.
const SHARE_OF_OTHERS: usize = 2;

/// Returns whether the validation data of a document, if any, is readable and leaves room for more.
pub(crate) fn has_room(view: View<'_>) -> bool {
    let (bytes, items) = (MAX_STORE / SHARE_OF_OTHERS, MAX_ITEMS / SHARE_OF_OTHERS);
    Reading::of(view).is_ok_and(|reading| {
        let store = reading.catalog().and_then(|catalog| catalog.get(b"DSS"));
        store.is_none_or(|store| Store::read_within(&reading, store, bytes, items).is_some())
    })
}

impl Comparison<'_> {
    /// Checks that validation data has only grown, and contains nothing else.
    pub(super) fn validation_data(&mut self) {
        let entry = |reading: &Reading<'_>| reading.catalog().and_then(|catalog| catalog.get(b"DSS")).cloned();
        let (before, after) = (entry(self.signed), entry(self.current));
        let was = before.as_ref().map(|store| Store::read(self.signed, store));
        let is = after.as_ref().map(|store| Store::read(self.current, store));
        let (how, is_permitted) = match (was, is) {
            (None, None) => return,
            (None, Some(store)) => (How::Added, store.is_some()),
            (Some(Some(was)), Some(Some(is))) if was == is => return,
            (Some(Some(was)), Some(Some(is))) if is.holds(&was) => (How::Added, true),
            (Some(_), None) | (Some(Some(_)), Some(Some(_))) => (How::Removed, false),
            // Unreadable data must stay unchanged, object by object.
            (Some(None), Some(None)) if are_same(before.as_ref(), after.as_ref()) => {
                self.is_store_fixed = true;
                return;
            }
            _ => (How::Changed, false),
        };
        let change = Change {
            part: Part::ValidationData,
            how,
            page: None,
            field: None,
            object: after
                .or(before)
                .and_then(|store| store.as_ref())
                .map_or(0, |id| id.number),
            entry: Some("DSS".to_owned()),
        };
        self.push(is_permitted, change);
    }
}

/// The contents of a document security store (ISO 32000-2, 12.8.4.3).
#[derive(Debug, PartialEq, Eq)]
struct Store {
    /// The entries of each kind, as hashes of the streams' contents.
    data: BTreeMap<&'static str, BTreeSet<Vec<u8>>>,
    /// The signatures that the store refers to.
    signatures: BTreeSet<Vec<u8>>,
}

impl Store {
    /// Reads a store. `None` if it contains anything else, or more than we read.
    fn read(reading: &Reading<'_>, store: &Object) -> Option<Self> {
        Self::read_within(reading, store, MAX_STORE, MAX_ITEMS)
    }

    /// Reads a store with at most this many bytes, and this many entries of each kind.
    fn read_within(reading: &Reading<'_>, store: &Object, bytes: usize, items: usize) -> Option<Self> {
        const OF_STORE: &[&[u8]] = &[b"Type", b"Certs", b"OCSPs", b"CRLs", b"VRI"];
        const OF_SIGNATURE: &[&[u8]] = &[b"Type", b"Cert", b"OCSP", b"CRL", b"TU", b"TS"];
        let store = reading.as_dict(store)?;
        let knows = |dict: &Dict, known: &[&[u8]]| dict.iter().all(|(key, _)| known.contains(&&*key.bytes()));
        if !knows(store, OF_STORE) {
            return None;
        }
        let mut left = bytes;
        let mut data = BTreeMap::new();
        for key in ["Certs", "OCSPs", "CRLs"] {
            let mut hashes = BTreeSet::new();
            let entries = match reading.get(store, key.as_bytes()) {
                Object::Array(entries) => entries.as_slice(),
                Object::Null => &[],
                _ => return None,
            };
            if entries.len() > items {
                return None;
            }
            for entry in entries {
                let content = reading.plain(reading.resolve(entry).as_stream()?, left).ok()?;
                left = left.checked_sub(content.len())?;
                hashes.insert(digest(&SHA256, &content).as_ref().to_vec());
            }
            data.insert(key, hashes);
        }
        let mut signatures = BTreeSet::new();
        let of_signatures = match reading.get(store, b"VRI") {
            Object::Dict(entries) => Some(entries),
            Object::Null => None,
            _ => return None,
        };
        for (key, entry) in of_signatures.into_iter().flat_map(Dict::iter) {
            if key.is(b"Type") {
                continue;
            }
            if !knows(reading.as_dict(entry)?, OF_SIGNATURE) {
                return None;
            }
            signatures.insert(key.bytes().into_owned());
        }
        Some(Self { data, signatures })
    }

    /// Returns whether the store contains all of `other`.
    fn holds(&self, other: &Self) -> bool {
        let holds_data = other
            .data
            .iter()
            .all(|(key, contents)| self.data.get(key).is_some_and(|own| own.is_superset(contents)));
        holds_data && self.signatures.is_superset(&other.signatures)
    }
}
