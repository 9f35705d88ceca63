//! Small PDF files that the tests make for themselves, and keys to seal them with.

use std::sync::LazyLock;

use crate::revision_writer::RevisionWriter;
use document::intake::{Acceptance, Intake, Limits, Refused, Wishes, inspect_as};
use document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use document::pki::keys::{KeyKind, SealKey, Signer};
use document::sealing::{SealDetails, seal};
use document::verify::TrustedRoots;
use jiff::Timestamp;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, SaveOptions, Stream, dictionary};
use sha2::{Digest, Sha256};

/// The moment at which everything in the tests happens.
pub fn now() -> Timestamp {
    "2026-11-28T01:02:03Z".parse().expect("a timestamp")
}

/// How the sample's cross-references are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// As a table.
    Table,
    /// As a stream, with the objects in object streams.
    Stream,
}

/// A document of two pages with some text.
pub fn unsigned_document() -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
    });
    let kids: Vec<Object> = (1..=2)
        .map(|number| {
            let content = Content {
                operations: vec![
                    Operation::new("BT", vec![]),
                    Operation::new("Tf", vec!["F1".into(), 24.into()]),
                    Operation::new("Td", vec![72.into(), 700.into()]),
                    Operation::new("Tj", vec![Object::string_literal(format!("Page {number}"))]),
                    Operation::new("ET", vec![]),
                ],
            };
            let content = content.encode().expect("content");
            let content = document.add_object(Stream::new(Dictionary::new(), content));
            let page = document.add_object(dictionary! {
                "Type" => "Page", "Parent" => pages, "Contents" => content,
            });
            Object::Reference(page)
        })
        .collect();
    document.objects.insert(
        pages,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Count" => 2, "Kids" => kids,
            "MediaBox" => vec![0.into(), 0.into(), 612.into(), 792.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
        }),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    let info = document.add_object(dictionary! { "Title" => Object::string_literal("Contract") });
    document.trailer.set("Root", catalog);
    document.trailer.set("Info", info);
    let id = Object::String(vec![7; 16], lopdf::StringFormat::Hexadecimal);
    document.trailer.set("ID", vec![id.clone(), id]);
    document
}

/// The document as a file.
pub fn file(mut document: Document, references: References) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = SaveOptions {
        use_object_streams: references == References::Stream,
        use_xref_streams: references == References::Stream,
        ..SaveOptions::default()
    };
    if references == References::Table {
        document.reference_table.cross_reference_type = lopdf::xref::XrefType::CrossReferenceTable;
    }
    document
        .save_with_options(&mut bytes, options)
        .expect("the sample is saved");
    bytes
}

/// An unsigned file.
pub fn unsigned(references: References) -> Vec<u8> {
    file(unsigned_document(), references)
}

/// An installation's root and one company's key.
pub struct House {
    /// The root.
    pub root: SealKey,
    /// The company's key.
    pub key: SealKey,
}

impl House {
    /// Makes keys of a kind.
    pub fn new(kind: KeyKind) -> Self {
        let root = create_root("Countersign test root", kind, now()).expect("a root");
        let subject = SealSubject {
            company_name: "주식회사 보기",
            company_id: "example",
            revocation_list: None,
        };
        let key = issue_seal_certificate(&root, &subject, kind, now()).expect("a certificate");
        Self { root, key }
    }

    /// The company's certificate and the root's.
    pub fn key_chain(&self) -> Vec<Vec<u8>> {
        self.key.certificates().to_vec()
    }

    /// The trust in this root.
    pub fn roots(&self) -> TrustedRoots {
        TrustedRoots::new(self.root.certificates().to_vec())
    }
}

/// Keys for P-256, made once.
pub static HOUSE: LazyLock<House> = LazyLock::new(|| House::new(KeyKind::EcdsaP256));

/// What the tests' seals say.
pub fn details(certify: bool) -> SealDetails {
    SealDetails {
        reason: "Completed by all writers /Contents<00> /ByteRange[0 0 0 0]".to_owned(),
        name: "주식회사 보기".to_owned(),
        location: Some("Seoul".to_owned()),
        at: now(),
        certify,
        is_test: false,
        mark: None,
    }
}

/// A sealed file.
pub fn sealed(references: References) -> Vec<u8> {
    seal(unsigned(references), &HOUSE.key, &details(true)).expect("the sample is sealed")
}

/// Signs as another program might: an approval signature that locks nothing.
pub fn signed_by_others(pdf: &[u8], key: &SealKey) -> Vec<u8> {
    sign_with(pdf, &dictionary! {}, &dictionary! {}, |digest| {
        document::pki::cms::sign(key, digest).expect("a signature value")
    })
}

/// Signs with extra entries in the signature dictionary and the field, and any signature value of a SHA-256 digest.
pub fn sign_with(
    pdf: &[u8],
    extra: &Dictionary,
    extra_of_field: &Dictionary,
    value: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    sign_in(pdf, None, extra, extra_of_field, value)
}

/// The same in a field of this name that is there already.
pub fn sign_in(
    pdf: &[u8],
    field: Option<&str>,
    extra: &Dictionary,
    extra_of_field: &Dictionary,
    value: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    sign_bytes(pdf, field, extra, extra_of_field, |content| {
        value(&Sha256::digest(content))
    })
}

/// Signs with any signature value of all the covered bytes.
pub fn sign_content_with(pdf: &[u8], extra: &Dictionary, value: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
    sign_bytes(pdf, None, extra, &dictionary! {}, value)
}

fn sign_bytes(
    pdf: &[u8],
    field: Option<&str>,
    extra: &Dictionary,
    extra_of_field: &Dictionary,
    value: impl FnOnce(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    const ROOM: usize = 8192;
    let document = Document::load_mem(pdf).expect("readable");
    let mut writer = RevisionWriter::new(pdf, &document).expect("a revision");
    let wide = 9_999_999_999_i64;
    let mut signature = dictionary! {
        "ByteRange" => vec![0.into(), wide.into(), wide.into(), wide.into()],
        "Contents" => Object::String(vec![0; ROOM], lopdf::StringFormat::Hexadecimal),
        "Type" => "Sig", "Filter" => "Adobe.PPKLite", "SubFilter" => "ETSI.CAdES.detached",
    };
    for (key, value) in extra {
        signature.set(key.clone(), value.clone());
    }
    let signature = writer.add(signature);
    match field {
        Some(name) => {
            let (id, _) = document
                .objects
                .iter()
                .find(|(_, object)| {
                    let field = object.as_dict();
                    field.is_ok_and(|field| {
                        field
                            .get(b"T")
                            .and_then(Object::as_str)
                            .is_ok_and(|own| own == name.as_bytes())
                    })
                })
                .expect("the field");
            let field = writer.edit_dictionary(*id).expect("the field");
            field.set("V", signature);
            for (key, value) in extra_of_field {
                field.set(key.clone(), value.clone());
            }
        }
        None => add_field(&mut writer, &document, signature, extra_of_field),
    }
    let revision = writer.finish().expect("written");
    let place = revision.written.get(&signature).expect("the signature").clone();
    let mut bytes = revision.bytes;
    let text = String::from_utf8_lossy(&bytes[place.clone()]).into_owned();
    let start = place.start + text.find("/Contents<").expect("the placeholder") + "/Contents".len();
    let end = start + 2 + 2 * ROOM;
    let range = place.start + text.find("/ByteRange[").expect("the byte range") + "/ByteRange[".len();
    let width = "0 9999999999 9999999999 9999999999".len();
    let numbers = format!("0 {start} {end} {}", bytes.len() - end);
    bytes[range..range + width].copy_from_slice(format!("{numbers:width$}").as_bytes());
    let value = value(&[&bytes[..start], &bytes[end..]].concat());
    let digits = hex::encode(value);
    bytes[start + 1..start + 1 + digits.len()].copy_from_slice(digits.as_bytes());
    bytes
}

/// A new signature field in the form, directly or through its own object, and on the first page.
fn add_field(writer: &mut RevisionWriter<'_>, document: &Document, signature: ObjectId, extra: &Dictionary) {
    let page = document.page_iter().next().expect("a page");
    let mut widget = dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "F" => 132, "P" => page, "V" => signature,
        "T" => Object::string_literal(format!("Other{}", signature.0)),
        "Rect" => vec![0.into(), 0.into(), 0.into(), 0.into()],
    };
    for (key, value) in extra {
        widget.set(key.clone(), value.clone());
    }
    let widget = writer.add(widget);
    let array = |holder: &Dictionary, key: &[u8]| {
        let mut array = holder.get(key).and_then(Object::as_array).cloned().unwrap_or_default();
        array.push(Object::Reference(widget));
        array
    };
    let page = writer.edit_dictionary(page).expect("a page");
    page.set("Annots", array(page, b"Annots"));
    let root = writer.root();
    let own = document.catalog().and_then(|catalog| catalog.get(b"AcroForm"));
    if let Ok(id) = own.and_then(Object::as_reference) {
        let form = writer.edit_dictionary(id).expect("a form");
        form.set("Fields", array(form, b"Fields"));
        form.set("SigFlags", 3);
        return;
    }
    let catalog = writer.edit_dictionary(root).expect("a catalog");
    let mut form = catalog
        .get(b"AcroForm")
        .and_then(Object::as_dict)
        .cloned()
        .unwrap_or_default();
    form.set("Fields", array(&form, b"Fields"));
    form.set("SigFlags", 3);
    catalog.set("AcroForm", form);
}

/// Takes a file in; one that is damaged, as it was rebuilt.
pub fn take_rebuilt(pdf: &[u8]) -> Result<Intake, Refused> {
    let wishes = Wishes {
        accepts: [Acceptance::Rebuilt].into(),
        ..Wishes::default()
    };
    inspect_as(pdf.to_vec(), &Limits::default(), &wishes)
}
