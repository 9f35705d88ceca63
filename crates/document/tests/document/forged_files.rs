//! Forged files by the thousand: a generator appends, inserts and rewires at random behind files that were signed, and the
//! verifier accepts none of them.
//!
//! Whatever a forger does here lets some program show another document, or leads it elsewhere than it should; most of it is
//! dressed up as validation data, which anybody may add. No reading has the last word: a file that differs from a signed one in
//! more than what an honest step adds must not be called genuine. `COUNTERSIGN_FORGERIES` says how many are made.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use document::pdf::revision::RevisionWriter;
use document::sealing::validation_data::{add_archive_timestamp, add_validation_data};
use document::sealing::{seal, seal_with_timestamp};
use document::verify::{SignatureReport, TrustedRoots, verify};
use lopdf::xref::XrefEntry;
use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream, dictionary};
use testkit::scale::Scale;
use testkit::time_stamp_authority::Revocation;

use crate::raw_revision::{RawRevision, Said, Style, last_section, object_stream, stream, with_entries, written};
use crate::samples::{HOUSE, References, details, file, now, sealed, signed_by_others, unsigned, unsigned_document};
use crate::timestamps::{authority, data};

const EVIL: &[u8] = b"BT /F1 24 Tf 72 400 Td (The buyer pays 99999) Tj ET";
/// The most changes of one file.
const MOST_CHANGES: u64 = 4;

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Random(u64);

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

/// A signed file, and what a forger knows of it.
struct Base {
    name: &'static str,
    pdf: Vec<u8>,
    style: Style,
    document: Document,
    root: u32,
    pages: u32,
    page: u32,
    content: u32,
    /// What the newest cross-references say.
    entries: BTreeMap<u32, Said>,
    /// Its signatures: their fields, and how much each covers.
    covered: Vec<(String, u64)>,
    /// What the pages show in each reading.
    shown: [Option<Shown>; 2],
}

type Shown = Vec<Vec<u8>>;

impl Base {
    fn new(name: &'static str, pdf: Vec<u8>, references: References) -> Self {
        let document = Document::load_mem(&pdf).expect("readable");
        let reference = |dictionary: &Dictionary, key: &[u8]| {
            let id = dictionary.get(key).and_then(Object::as_reference);
            id.expect("a reference").0
        };
        let page = document.page_iter().next().expect("a page");
        let entries = document.reference_table.entries.iter().map(|(number, entry)| {
            let said = match entry {
                XrefEntry::Normal { offset, generation } => {
                    Said::At(usize::try_from(*offset).expect("a place"), *generation)
                }
                XrefEntry::Compressed { container, index } => Said::Within(*container, *index),
                XrefEntry::Free | XrefEntry::UnusableFree => Said::Free,
            };
            (*number, said)
        });
        Self {
            name,
            style: match references {
                References::Table => Style::Table,
                References::Stream => Style::Stream,
            },
            root: reference(&document.trailer, b"Root"),
            pages: reference(document.catalog().expect("a catalog"), b"Pages"),
            page: page.0,
            content: reference(document.get_dictionary(page).expect("a page"), b"Contents"),
            entries: entries.collect(),
            covered: verify(&pdf, &HOUSE.roots(), now())
                .signatures
                .into_iter()
                .map(|signature| (signature.field, signature.covered))
                .collect(),
            shown: shown(&pdf),
            document,
            pdf,
        }
    }

    fn dictionary(&self, number: u32) -> &Dictionary {
        self.document.get_dictionary((number, 0)).expect("a dictionary")
    }

    fn next(&self) -> u32 {
        self.document.max_id + 1
    }

    /// The catalog with validation data of which nobody has less than before.
    fn dressed_catalog(&self, store: u32, more: &[(&str, Object)]) -> Vec<u8> {
        let catalog = self.dictionary(self.root);
        let mut entries = more.to_vec();
        if !catalog.has(b"DSS") {
            entries.push(("DSS", Object::Reference((store, 0))));
        }
        with_entries(catalog, &entries)
    }
}

/// What the pages of a file show: as its cross-references lead, and as its objects are found by looking for them. None where it
/// cannot be read so.
fn shown(pdf: &[u8]) -> [Option<Shown>; 2] {
    [false, true].map(|force_reconstruct| {
        let options = LoadOptions {
            force_reconstruct,
            ..LoadOptions::default()
        };
        let document = Document::load_mem_with_options(pdf, options).ok()?;
        let pages: Shown = document
            .page_iter()
            .map(|page| document.get_page_content(page))
            .collect();
        (!pages.is_empty()).then_some(pages)
    })
}

/// Text fields, an empty signature field and a note, each with its look.
fn form_document() -> Document {
    let mut document = unsigned_document();
    let page = document.page_iter().next().expect("a page");
    let mut fields: Vec<Object> = Vec::new();
    for (name, kind) in [("Name", "Tx"), ("Price", "Tx"), ("Signer", "Sig")] {
        let shown = document.add_object(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()] },
            b"q Q".to_vec(),
        ));
        fields.push(Object::Reference(document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "FT" => kind, "T" => Object::string_literal(name), "F" => 4,
            "Rect" => vec![72.into(), 600.into(), 300.into(), 620.into()], "AP" => dictionary! { "N" => shown },
        })));
    }
    let page = document.get_dictionary_mut(page).expect("a page");
    page.set("Annots", fields.clone());
    let form = document.add_object(dictionary! { "Fields" => fields });
    document.catalog_mut().expect("a catalog").set("AcroForm", form);
    document
}

/// The files behind which a forger works, and whom to trust.
static BASES: LazyLock<(Vec<Base>, TrustedRoots)> = LazyLock::new(|| {
    let (_, authority) = authority(Revocation::List);
    let mut bases = Vec::new();
    for references in [References::Table, References::Stream] {
        let mut add = |name, pdf| bases.push(Base::new(name, pdf, references));
        let plain = unsigned(references);
        let approved = signed_by_others(&plain, &HOUSE.key);
        add("sealed", sealed(references));
        add("signed twice", signed_by_others(&approved, &HOUSE.key));
        add(
            "signed, then sealed",
            seal(&approved, &HOUSE.key, &details(false)).expect("sealed"),
        );
        add(
            "a signed form",
            signed_by_others(&file(form_document(), references), &HOUSE.key),
        );
        let stamped = seal_with_timestamp(&plain, &HOUSE.key, &details(true), &authority).expect("sealed");
        let data = data(&authority, now());
        add(
            "with validation data",
            add_validation_data(&stamped, &data).expect("extended"),
        );
        add(
            "archived",
            add_archive_timestamp(&stamped, &data, &authority).expect("archived"),
        );
        add("signed", approved);
    }
    let pem = HOUSE.root.certificate_pem() + &authority.root_pem();
    (bases, TrustedRoots::from_pem(&pem).expect("roots"))
});

/// Whether a file is called genuine as a whole, and one of the signatures of `base` with it. Where nothing of these is left,
/// somebody with a key has signed a document of their own.
fn is_accepted(pdf: &[u8], base: &Base) -> bool {
    let verdict = verify(pdf, &BASES.1, now());
    let is_of_base = |signature: &SignatureReport| base.covered.contains(&(signature.field.clone(), signature.covered));
    verdict.holds() && verdict.signatures.iter().any(is_of_base)
}

/// A forger at work on a file.
struct Forger {
    base: &'static Base,
    bytes: Vec<u8>,
    random: Random,
    /// A number that nothing has.
    next: u32,
    done: Vec<&'static str>,
}

/// What a forger can do; none where it cannot be done with this file.
type Forgery = fn(&mut Forger) -> Option<()>;

const FORGERIES: &[(&str, Forgery)] = &[
    ("replaces objects", Forger::replace),
    ("adds an entry to nothing", Forger::stray_of_nobody),
    ("leads an entry elsewhere", Forger::stray_of_somebody),
    ("lists an object twice", Forger::twice),
    ("frees an object", Forger::free),
    ("hides an object", Forger::hide),
    ("writes two sections", Forger::hybrid),
    ("shadows an object by an object stream", Forger::shadow),
    ("writes a second catalog", Forger::second_catalog),
    ("leads back wrongly", Forger::previous),
    ("leads a reference elsewhere", Forger::rewire),
    ("shares what is signed", Forger::share),
    ("changes signed bytes", Forger::inside),
    ("writes what is mended", Forger::odd_form),
    ("nests too deep", Forger::nest),
    ("goes on behind the end", Forger::tail),
    ("uses another generation", Forger::generation),
    ("encrypts", Forger::encrypt),
    ("uses an unknown kind of entry", Forger::unknown_kind),
    ("lies about a length", Forger::length),
    ("takes the signature out", Forger::take_out),
    ("adds an annotation", Forger::annotate),
    ("writes into a comment", Forger::comment),
    ("misses the header", Forger::beside),
];

impl Forger {
    fn at(base: &'static Base, random: Random) -> Self {
        Self {
            base,
            bytes: base.pdf.clone(),
            random,
            next: base.next() + 1,
            done: Vec::new(),
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Mostly the style of the file.
    fn style(&mut self) -> Style {
        if self.random.one_in(8) {
            *self.random.of(&[Style::Table, Style::Stream, Style::Hybrid])
        } else {
            self.base.style
        }
    }

    fn begin(&mut self) -> RawRevision {
        let mut revision = RawRevision::new(&self.bytes, self.base.root);
        for key in [&b"Info"[..], b"ID"] {
            if let Ok(value) = self.base.document.trailer.get(key) {
                let key = String::from_utf8_lossy(key);
                revision.trailer += &format!("/{key} {}", String::from_utf8_lossy(&written(value)));
            }
        }
        revision
    }

    fn end(&mut self, revision: RawRevision) {
        let style = self.style();
        self.end_as(revision, style);
    }

    fn end_as(&mut self, revision: RawRevision, style: Style) {
        let next = self.fresh();
        self.bytes = revision.finish(style, next);
    }

    /// A revision that anybody may add, or the beginning of one.
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

    fn dress(&mut self, revision: &mut RawRevision, store: u32) {
        revision.named(self.base.root, &self.base.dressed_catalog(store, &[]));
        revision.named(store, b"<</Type/DSS/Certs[]>>");
    }

    /// The revision, or one behind it, in which nothing is said of a number yet.
    fn forget(&mut self, revision: RawRevision, number: u32) -> RawRevision {
        if !revision.rows.iter().any(|(other, _)| *other == number) {
            return revision;
        }
        let style = self.base.style;
        self.end_as(revision, style);
        self.begin()
    }

    /// An object that was signed as it would show something else, and new ones that it needs.
    fn evil(&mut self) -> (u32, Vec<u8>, Vec<(u32, Vec<u8>)>) {
        let base = self.base;
        let content = (self.fresh(), stream(&format!("<</Length {}>>", EVIL.len()), EVIL));
        let page = with_entries(
            base.dictionary(base.page),
            &[("Contents", Object::Reference((content.0, 0)))],
        );
        match self.random.below(4) {
            0 => (base.content, content.1, Vec::new()),
            1 => (base.page, page, vec![content]),
            kind => {
                let (tree, new) = (self.fresh(), self.fresh());
                let root = if kind == 2 { base.pages } else { tree };
                let pages = with_entries(
                    base.dictionary(base.pages),
                    &[("Kids", vec![Object::Reference((new, 0))].into()), ("Count", 1.into())],
                );
                let mut more = vec![content, (new, page)];
                if kind == 2 {
                    return (root, pages, more);
                }
                more.push((tree, pages));
                let catalog = base.dressed_catalog(base.next(), &[("Pages", Object::Reference((tree, 0)))]);
                (base.root, catalog, more)
            }
        }
    }

    /// Writes what an evil object needs.
    fn needed(&mut self, revision: &mut RawRevision) -> (u32, Vec<u8>) {
        let (target, body, more) = self.evil();
        for (number, body) in more {
            revision.named(number, &body);
        }
        (target, body)
    }

    /// A number that is in use in the signed file.
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

    /// A place at which something else lies than the object of a number.
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

    fn replace(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        revision.named(target, &body);
        self.end(revision);
        Some(())
    }

    /// The forgery that brought back the old catalog: a stray entry leads to an earlier end of the file, behind which lies the
    /// object of another number.
    fn stray_of_nobody(&mut self) -> Option<()> {
        let hides = self.random.one_in(2);
        let mut revision = self.dressed();
        if hides {
            if self.random.one_in(2) {
                self.end(revision);
                revision = self.begin();
            }
            let (target, body) = self.needed(&mut revision);
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let at = self.elsewhere(None);
        let number = self.fresh();
        revision.rows.push((number, Said::At(at, 0)));
        self.end(revision);
        Some(())
    }

    fn stray_of_somebody(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (number, own) = self.somebody();
        let at = self.elsewhere(Some(own));
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::At(at, 0)));
        self.end(revision);
        Some(())
    }

    fn twice(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let at = revision.unnamed(target, 0, &body);
        let old = self.base.entries.get(&target).copied().unwrap_or(Said::Free);
        let both = match self.random.below(3) {
            0 => [Said::At(at, 0), old],
            1 => [old, Said::At(at, 0)],
            _ => [Said::Free, Said::At(at, 0)],
        };
        revision.rows.extend(both.map(|said| (target, said)));
        self.end(revision);
        Some(())
    }

    fn free(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let number = if self.random.one_in(2) {
            target
        } else {
            self.somebody().0
        };
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::Free));
        if self.random.one_in(2) {
            revision.unnamed(target, 0, &body);
        }
        self.end(revision);
        Some(())
    }

    fn hide(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision.unnamed(target, 0, &body);
        self.end(revision);
        Some(())
    }

    fn hybrid(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let at = revision.unnamed(target, 0, &body);
        let old = self.base.entries.get(&target).copied().unwrap_or(Said::Free);
        let (seen, hidden) = match self.random.below(4) {
            0 => (Some(old), Some(Said::At(at, 0))),
            1 => (Some(Said::Free), Some(Said::At(at, 0))),
            2 => (None, Some(Said::At(at, 0))),
            _ => (Some(Said::At(at, 0)), Some(old)),
        };
        revision.rows.extend(seen.map(|said| (target, said)));
        revision.hidden.extend(hidden.map(|said| (target, said)));
        self.end_as(revision, Style::Hybrid);
        Some(())
    }

    fn shadow(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (mut target, mut body) = self.needed(&mut revision);
        if target == self.base.content {
            // No stream lies in an object stream.
            let content = self.fresh();
            revision.named(content, &body);
            target = self.base.page;
            body = with_entries(
                self.base.dictionary(target),
                &[("Contents", Object::Reference((content, 0)))],
            );
        }
        revision = self.forget(revision, target);
        let old = written(self.base.document.objects.get(&(target, 0))?);
        let members = match self.random.below(3) {
            0 => vec![(target, body)],
            1 => vec![(target, old), (target, body)],
            _ => vec![(target, body), (target, old)],
        };
        let container = self.fresh();
        revision.named(container, &object_stream(&members));
        let said = match self.random.below(6) {
            0 | 1 => Some(Said::Within(container, 0)),
            2 => Some(Said::Within(container, 1)),
            3 => Some(Said::Within(container + 1, 0)),
            4 => Some(Said::Within(self.base.page, 0)),
            _ => None,
        };
        revision.rows.extend(said.map(|said| (target, said)));
        self.end_as(revision, Style::Stream);
        Some(())
    }

    fn second_catalog(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (_, page) = self.needed(&mut revision);
        let (tree, new, catalog) = (self.fresh(), self.fresh(), self.fresh());
        revision.named(new, &page);
        let kids = Object::Array(vec![Object::Reference((new, 0))]);
        revision.named(
            tree,
            &with_entries(self.base.dictionary(self.base.pages), &[("Kids", kids)]),
        );
        let pages = Object::Reference((tree, 0));
        revision.named(
            catalog,
            &with_entries(self.base.dictionary(self.base.root), &[("Pages", pages)]),
        );
        let own = format!("/Root {} 0 R", self.base.root);
        let other = format!("/Root {catalog} 0 R");
        revision.trailer = match self.random.below(3) {
            0 => revision.trailer.replace(&own, &other),
            1 => format!("{other}{}", revision.trailer),
            _ => format!("{}{other}", revision.trailer),
        };
        self.end(revision);
        Some(())
    }

    fn previous(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let own = format!("/Prev {}", last_section(&self.bytes));
        let starts: Vec<usize> = (0..self.bytes.len())
            .filter(|at| self.bytes[*at..].starts_with(b"startxref"))
            .collect();
        let oldest = last_section(&self.bytes[..starts.first()? + 40]);
        let other = match self.random.below(5) {
            0 => format!("/Prev {}", revision.bytes.len()),
            1 => format!("/Prev {}", self.random.below(self.bytes.len())),
            2 if oldest != last_section(&self.bytes) => format!("/Prev {oldest}"),
            3 => format!("{own}{own}"),
            _ => String::new(),
        };
        let (target, body) = self.needed(&mut revision);
        if self.random.one_in(2) {
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let own = format!("/Prev {}", last_section(&self.bytes));
        revision.trailer = revision.trailer.replace(&own, &other);
        self.end(revision);
        Some(())
    }

    /// Leads a reference of something that shows on pages to another object.
    fn rewire(&mut self) -> Option<()> {
        let shown = [self.base.page, self.base.pages, self.base.root];
        let number = *self.random.of(&shown);
        let mut dictionary = self.base.dictionary(number).clone();
        let keys: Vec<Vec<u8>> = dictionary
            .iter()
            .filter(|(key, value)| key.as_slice() != b"DSS" && value.as_reference().is_ok())
            .map(|(key, _)| key.clone())
            .collect();
        if keys.is_empty() {
            return None;
        }
        let key = self.random.of(&keys).clone();
        let (other, _) = self.somebody();
        if dictionary.get(&key).ok() == Some(&Object::Reference((other, 0))) {
            return None;
        }
        dictionary.set(key, Object::Reference((other, 0)));
        let mut revision = self.dressed();
        revision = self.forget(revision, number);
        revision.named(number, &written(&Object::Dictionary(dictionary)));
        self.end(revision);
        Some(())
    }

    /// Lets the page show what a field or the signature is, and changes that.
    fn share(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let field = self.base.document.objects.iter().find_map(|(id, object)| {
            let field = object.as_dict().ok()?;
            (field.has(b"FT") || field.has(b"ByteRange")).then_some(*id)
        })?;
        let form = "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 51>>";
        let (page, target) = (
            self.base.page,
            if self.random.one_in(2) {
                self.base.content
            } else {
                field.0
            },
        );
        revision = self.forget(revision, page);
        revision = self.forget(revision, target);
        let resources = dictionary! { "XObject" => dictionary! { "X" => Object::Reference((target, 0)) } };
        let annotations = Object::Array(vec![Object::Reference((target, 0))]);
        let shares = *self.random.of(&["Resources", "Annots", "Contents"]);
        let value = match shares {
            "Resources" => Object::Dictionary(resources),
            "Annots" => annotations,
            _ => Object::Reference(field),
        };
        revision.named(page, &with_entries(self.base.dictionary(page), &[(shares, value)]));
        if self.random.one_in(2) {
            revision.named(target, &stream(form, EVIL));
        }
        self.end(revision);
        Some(())
    }

    fn inside(&mut self) -> Option<()> {
        // The value of a signature may hold anything behind its end.
        let signature = gaps(&self.base.pdf);
        let at = self.random.below(self.base.pdf.len().min(self.bytes.len()));
        let is_signed = !signature.iter().any(|gap| gap.contains(&at));
        if !is_signed || self.base.name == "with validation data" {
            return None;
        }
        let evil = format!("\n{} 0 obj\nnull\nendobj\n", self.base.content);
        match self.random.below(3) {
            0 => drop(self.bytes.splice(at..at, evil.into_bytes())),
            1 => self.bytes[at] ^= 1 << self.random.below(8),
            _ => drop(self.bytes.remove(at)),
        }
        Some(())
    }

    fn odd_form(&mut self) -> Option<()> {
        const TABLE: &[(&str, &str)] = &[
            (" n\r\n", " n\n"),
            (" n\r\n", " n\r"),
            (" n\r\n", " n \r\n"),
            (" 00000 n", " 0 n"),
            (" 00000 n", " 00000 N"),
            ("trailer\n", "trailer\n<</Size 3>>\ntrailer\n"),
            ("trailer\n", "% 9 0 obj\ntrailer\n"),
            ("/Prev ", "/Prev +"),
            ("/Size ", "/Size 0/Size "),
            ("/Size ", "/Size -"),
            ("/Size ", "/Size 9999999"),
            ("xref\n", "xref\n0 1\n0000000000 65535 f\r\n0 2\n0000000000 65535 f\r\n"),
        ];
        const BOTH: &[(&str, &str)] = &[
            ("startxref\n", "startxref\n0\nstartxref\n"),
            ("startxref\n", "startxref\n+"),
            ("%%EOF\n", "%%EOF\nstartxref\n7\n%%EOF\n"),
            ("%%EOF\n", "%%EOF %%EOF\n"),
        ];
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        if self.random.one_in(2) {
            revision.unnamed(target, 0, &body);
        } else {
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let style = *self.random.of(&[Style::Table, self.base.style]);
        let before = revision.bytes.len();
        self.end_as(revision, style);
        let (old, new) = *self.random.of(if style == Style::Table { TABLE } else { BOTH });
        let section = self.bytes.split_off(before);
        let changed = replaced(&section, old.as_bytes(), new.as_bytes());
        self.bytes.extend(changed);
        Some(())
    }

    /// One reader gives up where another goes on.
    fn nest(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let end = body.len().checked_sub(2).filter(|end| body[*end..] == *b">>")?;
        let depth = 90 + self.random.below(200);
        let deep = if self.random.one_in(2) {
            format!("/Deep {}{}>>", "[".repeat(depth), "]".repeat(depth))
        } else {
            format!("/Deep {}{}>>", "(".repeat(depth), ")".repeat(depth))
        };
        revision = self.forget(revision, target);
        revision.named(target, &[&body[..end], deep.as_bytes()].concat());
        self.end(revision);
        Some(())
    }

    fn tail(&mut self) -> Option<()> {
        let (target, body, _) = self.evil();
        let evil = [format!("{target} 0 obj\n").as_bytes(), &body, b"\nendobj\n"].concat();
        let start = self.bytes.len();
        match self.random.below(4) {
            0 => self.bytes.extend(evil),
            1 => self
                .bytes
                .extend(format!("startxref\n{}\n%%EOF\n", self.random.below(start)).as_bytes()),
            2 => self
                .bytes
                .extend([evil, format!("startxref\n{start}\n%%EOF\n").into_bytes()].concat()),
            _ => self.bytes.extend(std::iter::repeat_n(b'\n', 1100)),
        }
        Some(())
    }

    fn generation(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let written = u16::try_from(self.random.below(3)).ok()?;
        let said = u16::try_from(self.random.below(3)).ok()?;
        let at = revision.unnamed(target, written, &body);
        revision.rows.push((target, Said::At(at, said)));
        self.end(revision);
        Some(())
    }

    fn encrypt(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let key = self.fresh();
        revision.named(key, b"<</Filter/Standard/V 1/R 2/P -4/O()/U()>>");
        revision.trailer += &format!("/Encrypt {key} 0 R");
        self.end(revision);
        Some(())
    }

    fn unknown_kind(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (number, _) = self.somebody();
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::Unknown));
        self.end_as(revision, Style::Stream);
        Some(())
    }

    fn length(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (length, content) = (self.fresh(), self.base.content);
        let wrong = self.random.below(EVIL.len() * 2);
        revision.named(length, wrong.to_string().as_bytes());
        let dictionary = match self.random.below(3) {
            0 => format!("<</Length {length} 0 R>>"),
            1 => format!("<</Length {wrong}/Length {}>>", EVIL.len()),
            _ => format!("<</Length {wrong}>>"),
        };
        revision.named(content, &stream(&dictionary, EVIL));
        self.end(revision);
        Some(())
    }

    fn take_out(&mut self) -> Option<()> {
        let mut revision = self.begin();
        let mut catalog = self.base.dictionary(self.base.root).clone();
        catalog.remove(b"Perms");
        if self.random.one_in(2) {
            catalog.remove(b"AcroForm");
        } else {
            catalog.set("AcroForm", dictionary! { "Fields" => Vec::<Object>::new() });
        }
        revision.named(self.base.root, &written(&Object::Dictionary(catalog)));
        if self.random.one_in(2) {
            let at = self.elsewhere(None);
            let number = self.fresh();
            revision.rows.push((number, Said::At(at, 0)));
        }
        self.end(revision);
        Some(())
    }

    fn annotate(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let page = self.base.page;
        let (note, look) = (self.fresh(), self.fresh());
        let kind = *self.random.of(&["FreeText", "Stamp", "Widget", "Link", "Redact"]);
        revision.named(
            look,
            &stream("<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 51>>", EVIL),
        );
        let body = format!("<</Type/Annot/Subtype/{kind}/Rect[0 0 600 800]/F 4/AP<</N {look} 0 R>>>>");
        revision.named(note, body.as_bytes());
        let dictionary = self.base.dictionary(page);
        let annotations = dictionary
            .get(b"Annots")
            .and_then(|own| self.base.document.dereference(own));
        let mut annotations = annotations
            .ok()
            .and_then(|(_, own)| own.as_array().ok().cloned())
            .unwrap_or_default();
        annotations.push(Object::Reference((note, 0)));
        revision.named(page, &with_entries(dictionary, &[("Annots", annotations.into())]));
        self.end(revision);
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let line = *self.random.of(&[&b"\r"[..], b"", b"\x0c", b"\0"]);
        revision.bytes.extend([b"% ", line].concat());
        let at = revision.unnamed(target, 0, &body);
        if self.random.one_in(2) {
            revision = self.forget(revision, target);
            revision.rows.push((target, Said::At(at, 0)));
        }
        self.end(revision);
        Some(())
    }

    /// The entry leads a little before or behind the header, or into the number of another object.
    fn beside(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let prefix = *self.random.of(&[&b"\n\n"[..], b"1", b"% \n", b"%%EOF\n"]);
        let before = revision.bytes.len();
        revision.bytes.extend(prefix);
        revision.unnamed(target, 0, &body);
        let shift = if prefix == b"1" { 1 } else { 0 };
        revision.rows.push((target, Said::At(before + shift, 0)));
        self.end(revision);
        Some(())
    }

    /// Somebody with a key signs what has come of it.
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

/// The values of the signatures, which they do not sign themselves.
fn gaps(pdf: &[u8]) -> Vec<std::ops::Range<usize>> {
    const KEY: &[u8] = b"/Contents<";
    (0..pdf.len())
        .filter(|at| pdf[*at..].starts_with(KEY))
        .map(|at| {
            let length = pdf[at..].iter().position(|byte| *byte == b'>').expect("its end");
            at..at + length + 1
        })
        .collect()
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        changed.extend(&rest[..at]);
        changed.extend(new);
        rest = &rest[at + old.len()..];
    }
    changed.extend(rest);
    changed
}

/// The forgery of a seed: the file, of which base, and what was done.
fn forge(seed: u64) -> (Vec<u8>, &'static Base, Vec<&'static str>) {
    let mut random = Random(seed);
    let base = random.of(&BASES.0);
    let changes = 1 + random.next() % MOST_CHANGES;
    let mut forger = Forger::at(base, random);
    for _ in 0..changes {
        let (name, forgery) = *forger.random.of(FORGERIES);
        if forgery(&mut forger).is_some() {
            forger.done.push(name);
        }
    }
    if forger.done.is_empty() {
        forger.replace().expect("it always can");
        forger.done.push("replaces objects");
    }
    if forger.random.one_in(10) {
        forger.sign();
    }
    (forger.bytes, base, forger.done)
}

/// What is dressed up passes undressed: no forgery is refused for its dress.
#[test]
fn what_a_forger_dresses_up_as_is_accepted() {
    for base in &BASES.0 {
        assert!(is_accepted(&base.pdf, base), "{} {:?}", base.name, base.style);
        let mut forger = Forger::at(base, Random(1));
        for _ in 0..2 {
            let store = forger.fresh();
            let mut revision = forger.begin();
            forger.dress(&mut revision, store);
            if base.dictionary(base.root).has(b"DSS") {
                // An object that nothing leads to.
                assert_eq!(revision.rows.pop().map(|(number, _)| number), Some(store));
                let at = revision
                    .bytes
                    .windows(5)
                    .rposition(|window| window == b" 0 ob")
                    .expect("it");
                let start = revision.bytes[..at]
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .expect("a line");
                revision.bytes.truncate(start + 1);
            }
            forger.end_as(revision, base.style);
        }
        let verdict = verify(&forger.bytes, &BASES.1, now());
        assert!(verdict.holds(), "{} {:?}: {verdict:#?}", base.name, base.style);
        let mut padded = base.pdf.clone();
        padded.extend(b"\r\n \0\x0c\t\n");
        assert!(is_accepted(&padded, base), "{} {:?}", base.name, base.style);
    }
}

#[test]
fn no_forged_file_is_accepted() {
    let count = u64::from(Scale::Forgeries.count());
    let first: u64 = std::env::var("COUNTERSIGN_FORGERY").map_or(0, |seed| seed.parse().expect("a seed"));
    let (mut accepted, mut read, mut differ) = (Vec::new(), 0_u64, 0_u64);
    for seed in first..first + count {
        let (pdf, base, done) = forge(seed);
        if is_accepted(&pdf, base) {
            let later: Vec<String> = verify(&pdf, &BASES.1, now())
                .signatures
                .iter()
                .flat_map(|signature| &signature.later)
                .map(ToString::to_string)
                .collect();
            accepted.push(format!("{seed}: {} {:?}, {done:?}, {later:?}", base.name, base.style));
        }
        if seed % 10 == 0 {
            let readings = shown(&pdf);
            read += u64::from(readings[0].is_some());
            differ += u64::from(readings.iter().zip(&base.shown).any(|(new, old)| new != old));
        }
    }
    let sample = count.div_ceil(10);
    println!(
        "{} of {count} forged files are accepted; of {sample} looked at more closely a lenient reader reads {read}, and \
         {differ} show something else in one of two readings",
        accepted.len()
    );
    // A forgery that nobody can read or that shows nothing else deceives nobody.
    assert!(
        read * 10 > sample * 7 && differ * 10 > sample * 6,
        "{read} and {differ} of {sample}"
    );
    assert!(
        accepted.is_empty(),
        "COUNTERSIGN_FORGERY=SEED tries one again\n{}",
        accepted.join("\n")
    );
}
