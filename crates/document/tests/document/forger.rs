//! Appends, inserts and rewires random data after signed files. The same seed produces the same file.
//!
//! Every change makes some program show another document or misdirects a reference. Most changes are disguised as
//! validation data, which anyone may add.

use crate::revision_writer::RevisionWriter;
use lopdf::{Document, Object, ObjectId};

use crate::raw_revision::{RawRevision, Said, Style, stream, with_entries};
use crate::samples::{HOUSE, signed_by_others};
use base::{BASES, Base};
use changes::{CHANGES, Change};

pub mod base;
mod changes;

const EVIL: &[u8] = b"BT /F1 24 Tf 72 400 Td (The buyer pays 99999) Tj ET";
/// Maximum number of changes per file.
const MOST_CHANGES: u64 = 4;

/// Pseudorandom numbers, the same for the same seed (`SplitMix64`).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("a number");
        usize::try_from(self.next() % end).expect("a number")
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a, T>(&mut self, several: &'a [T]) -> &'a T {
        &several[self.below(several.len())]
    }
}

/// An object's number and its source text.
type Numbered = (u32, Vec<u8>);

pub struct Forger {
    base: &'static Base,
    pub bytes: Vec<u8>,
    random: Random,
    /// The next unused object number.
    next: u32,
    done: Vec<&'static str>,
    /// Number of changes that a further signature makes honest, because the signer permits them.
    mended_by_signing: usize,
}

impl Forger {
    pub fn at(base: &'static Base, random: Random) -> Self {
        Self {
            base,
            bytes: base.pdf.clone(),
            random,
            next: base.next() + 1,
            done: Vec::new(),
            mended_by_signing: 0,
        }
    }

    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Usually returns the style of the file.
    fn style(&mut self) -> Style {
        if self.random.one_in(8) {
            *self.random.of(&[Style::Table, Style::Stream, Style::Hybrid])
        } else {
            self.base.style
        }
    }

    pub fn begin(&mut self) -> RawRevision {
        let mut revision = RawRevision::new(&self.bytes, self.base.root);
        for key in ["Info", "ID"] {
            if let Ok(value) = self.base.document.trailer.get(key.as_bytes()) {
                revision.add_to_trailer(key, value);
            }
        }
        revision
    }

    fn end(&mut self, revision: RawRevision) {
        let style = self.style();
        self.end_as(revision, style);
    }

    pub fn end_as(&mut self, revision: RawRevision, style: Style) {
        let next = self.fresh();
        self.bytes = revision.finish(style, next);
    }

    /// Starts a revision that anyone may add.
    fn dressed(&mut self) -> RawRevision {
        let store = self.fresh();
        if self.random.one_in(3) {
            let mut revision = self.begin();
            self.dress(&mut revision, store);
            let style = self.base.style;
            self.end_as(revision, style);
            return self.begin();
        }
        let mut revision = self.begin();
        self.dress(&mut revision, store);
        revision
    }

    pub fn dress(&mut self, revision: &mut RawRevision, store: u32) {
        revision.named(self.base.root, &self.base.dressed_catalog(store, &[]));
        revision.named(store, b"<</Type/DSS/Certs[]>>");
    }

    /// Returns the revision, or a new one after it, in which the number has no entry yet.
    fn forget(&mut self, revision: RawRevision, number: u32) -> RawRevision {
        if !revision.rows.iter().any(|(other, _)| *other == number) {
            return revision;
        }
        let style = self.base.style;
        self.end_as(revision, style);
        self.begin()
    }

    /// Returns a signed object altered to show something else, and any new objects it needs.
    fn evil(&mut self) -> (Numbered, Vec<Numbered>) {
        let base = self.base;
        let content = (self.fresh(), stream(&format!("<</Length {}>>", EVIL.len()), EVIL));
        let page = with_entries(
            base.dictionary(base.page),
            &[("Contents", Object::Reference((content.0, 0)))],
        );
        match self.random.below(4) {
            0 => ((base.content, content.1), Vec::new()),
            1 => ((base.page, page), vec![content]),
            kind => {
                let (tree, new) = (self.fresh(), self.fresh());
                let root = if kind == 2 { base.pages } else { tree };
                let pages = with_entries(
                    base.dictionary(base.pages),
                    &[("Kids", vec![Object::Reference((new, 0))].into()), ("Count", 1.into())],
                );
                let mut more = vec![content, (new, page)];
                if kind == 2 {
                    return ((root, pages), more);
                }
                more.push((tree, pages));
                let catalog = base.dressed_catalog(base.next(), &[("Pages", Object::Reference((tree, 0)))]);
                ((base.root, catalog), more)
            }
        }
    }

    /// Writes the objects that an altered object needs.
    fn needed(&mut self, revision: &mut RawRevision) -> Numbered {
        let (evil, more) = self.evil();
        for (number, body) in more {
            revision.named(number, &body);
        }
        evil
    }

    /// Picks an object number that is in use in the signed file.
    fn somebody(&mut self) -> (u32, Said) {
        let in_use: Vec<(u32, Said)> = self
            .base
            .entries
            .iter()
            .filter(|(_, said)| **said != Said::Free)
            .map(|(number, said)| (*number, *said))
            .collect();
        *self.random.of(&in_use)
    }

    /// Picks an offset where some object other than the given one is stored.
    fn elsewhere(&mut self, own: Option<Said>) -> usize {
        let marks = |mark: &[u8]| -> Vec<usize> {
            let windows = self.bytes.windows(mark.len()).enumerate();
            windows
                .filter(|(_, window)| *window == mark)
                .map(|(at, _)| at)
                .collect()
        };
        let (ends, starts, objects) = (marks(b"%%EOF"), marks(b"startxref"), marks(b" 0 obj"));
        let at = match self.random.below(7) {
            0 | 1 => *self.random.of(&ends),
            2 => *self.random.of(&starts),
            3 => *self.random.of(&objects) + self.random.below(12),
            4 => 0,
            5 => self.bytes.len() + self.random.below(4000),
            _ => self.random.below(self.bytes.len()),
        };
        match own {
            Some(Said::At(own, _)) if own == at => at + 1,
            _ => at,
        }
    }

    /// Signs the result as someone with a key.
    fn sign(&mut self) {
        let Ok(document) = Document::load_mem(&self.bytes) else {
            return;
        };
        let is_dictionary = |id: ObjectId| document.get_dictionary(id).is_ok();
        let has_page = document.page_iter().next().is_some_and(is_dictionary);
        let form = document.catalog().and_then(|catalog| catalog.get(b"AcroForm"));
        let has_form = form.and_then(Object::as_reference).map_or(true, is_dictionary);
        if document.catalog().is_ok() && has_page && has_form && RevisionWriter::new(&self.bytes, &document).is_ok() {
            self.bytes = signed_by_others(&self.bytes, &HOUSE.key);
            self.done.push("signs it");
        }
    }
}

/// Returns the forgery for a seed: the file, its base and the changes made.
pub fn forge(seed: u64) -> (Vec<u8>, &'static Base, Vec<&'static str>) {
    let mut random = Random(seed);
    let base = random.of(&BASES.0);
    let changes = 1 + random.next() % MOST_CHANGES;
    let mut forger = Forger::at(base, random);
    for _ in 0..changes {
        let (name, change) = *forger.random.of(CHANGES);
        let is_done = match change {
            Change::Always(make) => {
                make(&mut forger);
                true
            }
            Change::Sometimes(make) => {
                let before = forger.bytes.clone();
                let is_done = make(&mut forger).is_some();
                if !is_done {
                    // The failed change may have undone an earlier one.
                    forger.bytes = before;
                }
                is_done
            }
        };
        if is_done {
            forger.done.push(name);
        }
    }
    if forger.done.is_empty() {
        forger.replace();
        forger.done.push("replaces objects");
    }
    if forger.random.one_in(10) && forger.mended_by_signing < forger.done.len() {
        forger.sign();
    }
    (forger.bytes, base, forger.done)
}
