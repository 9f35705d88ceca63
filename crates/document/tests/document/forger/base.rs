//! The signed files that the forger starts from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use document::sealing::validation_data::{add_archive_timestamp, add_validation_data};
use document::sealing::{seal, seal_with_timestamp};
use document::verify::{TrustedRoots, verify};
use lopdf::xref::XrefEntry;
use lopdf::{Dictionary, Document, LoadOptions, Object, Stream, dictionary};
use testkit::time_stamp_authority::Revocation;

use crate::raw_revision::{Said, Style, with_entries};
use crate::samples::{HOUSE, References, details, file, now, sealed, signed_by_others, unsigned, unsigned_document};
use crate::timestamps::{authority, data};

/// A signed file with the data that a forger needs.
pub struct Base {
    pub name: &'static str,
    pub pdf: Vec<u8>,
    pub style: Style,
    pub document: Document,
    pub root: u32,
    pub pages: u32,
    pub page: u32,
    pub content: u32,
    /// The appearances and values of its fields. They may be removed before a further signature, and are then reported.
    pub field_parts: BTreeSet<u32>,
    /// The entries of the newest cross-references.
    pub entries: BTreeMap<u32, Said>,
    /// Its signatures: their fields, and the number of bytes each covers.
    pub covered: Vec<(String, u64)>,
    /// The content of the pages in each reading.
    pub shown: [Option<Shown>; 2],
}

pub type Shown = Vec<Vec<u8>>;

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
            field_parts: field_parts(&document),
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

    pub fn dictionary(&self, number: u32) -> &Dictionary {
        self.document.get_dictionary((number, 0)).expect("a dictionary")
    }

    pub fn next(&self) -> u32 {
        self.document.max_id + 1
    }

    /// Returns the catalog with validation data, without removing any.
    pub fn dressed_catalog(&self, store: u32, more: &[(&str, Object)]) -> Vec<u8> {
        let catalog = self.dictionary(self.root);
        let mut entries = more.to_vec();
        if !catalog.has(b"DSS") {
            entries.push(("DSS", Object::Reference((store, 0))));
        }
        with_entries(catalog, &entries)
    }
}

fn field_parts(document: &Document) -> BTreeSet<u32> {
    let fields = document.objects.values().filter_map(|object| object.as_dict().ok());
    let fields = fields.filter(|dictionary| dictionary.has(b"FT"));
    let parts = fields.flat_map(|field| {
        let look = field.get(b"AP").and_then(Object::as_dict);
        let look = look.and_then(|looks| looks.get(b"N"));
        [look, field.get(b"V")].map(|part| part.and_then(Object::as_reference))
    });
    parts.filter_map(|part| part.ok().map(|(number, _)| number)).collect()
}

/// Returns the content of a file's pages in two readings: by its cross-references, and by searching for its objects.
/// `None` if the file cannot be read that way.
pub fn shown(pdf: &[u8]) -> [Option<Shown>; 2] {
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

/// Text fields, an empty signature field and a note, each with its appearance.
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

/// The base files and the roots to trust.
pub static BASES: LazyLock<(Vec<Base>, TrustedRoots)> = LazyLock::new(|| {
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
