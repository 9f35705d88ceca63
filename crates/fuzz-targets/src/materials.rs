//! Shared data of the targets: the key that seals the seeds, the fonts, and a small document.
//!
//! A fuzzer continues with inputs that an earlier run found and sealed, so `script/fuzz` names a folder
//! (`COUNTERSIGN_FUZZ`) in which the key is stored. Without the folder, every process has its own key.

use std::path::Path;
use std::sync::OnceLock;

use document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use document::pki::keys::{KeyKind, SealKey, Signer};
use document::sealing::SealDetails;
use document::text::fonts::Fonts;
use document::verify::TrustedRoots;
use jiff::Timestamp;
use lopdf::{Dictionary, Document, Object, SaveOptions, Stream, dictionary};

/// The current time in all targets.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).expect("a moment")
}

pub(crate) fn fonts() -> &'static Fonts {
    static FONTS: OnceLock<Fonts> = OnceLock::new();
    FONTS.get_or_init(|| Fonts::embedded().expect("the embedded fonts"))
}

/// The key that seals the seeds, and the roots that trust it.
pub(crate) struct Seal {
    pub(crate) key: SealKey,
    /// The root certificate and its key.
    pub(crate) root: SealKey,
    pub(crate) roots: TrustedRoots,
}

/// Returns the key in the folder named by `COUNTERSIGN_FUZZ`, and creates it if it is missing. Without a folder,
/// returns a key for this process.
pub(crate) fn seal_key() -> &'static Seal {
    static SEAL: OnceLock<Seal> = OnceLock::new();
    SEAL.get_or_init(|| {
        let (root, key) = match std::env::var_os("COUNTERSIGN_FUZZ") {
            Some(folder) => kept(&Path::new(&folder).join("seal")),
            None => made(),
        };
        let own = root.certificates().first().expect("a root").clone();
        Seal {
            key,
            root,
            roots: TrustedRoots::new(vec![own]),
        }
    })
}

fn made() -> (SealKey, SealKey) {
    let root = create_root("Fuzz", KeyKind::EcdsaP256, now()).expect("a root");
    let subject = SealSubject {
        company_name: "Fuzz",
        company_id: "fuzz",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, now()).expect("a certificate");
    (root, key)
}

fn kept(place: &Path) -> (SealKey, SealKey) {
    if !place.exists() {
        let (root, key) = made();
        std::fs::create_dir_all(place).expect("a folder");
        let write = |name: &str, bytes: &[u8]| std::fs::write(place.join(name), bytes).expect("it is written");
        write("key.der", &key.to_pkcs8().expect("the key"));
        write("certificate.der", key.certificates().first().expect("its own"));
        write("root-key.der", &root.to_pkcs8().expect("the key"));
        write("root.der", root.certificates().first().expect("its own"));
    }
    let read = |name: &str| std::fs::read(place.join(name)).expect("what was written is read");
    let root = SealKey::new(&read("root-key.der"), vec![read("root.der")]).expect("a root");
    let key = SealKey::new(&read("key.der"), vec![read("certificate.der"), read("root.der")]).expect("a key");
    (root, key)
}

pub(crate) fn details(certify: bool) -> SealDetails {
    SealDetails {
        reason: "Fuzz".to_owned(),
        name: "Fuzz".to_owned(),
        location: None,
        at: now(),
        certify,
        is_test: false,
        mark: None,
    }
}

/// A one-page document with a word on it, with or without a form.
pub(crate) fn sample(form: bool, as_stream: bool) -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let content = document.add_object(Stream::new(
        Dictionary::new(),
        b"q 1 0 0 rg 20 20 30 30 re f Q BT /F1 18 Tf 20 90 Td (Page) Tj ET".to_vec(),
    ));
    let mut page = dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content };
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => pages };
    if form {
        let field = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("name"),
            "V" => Object::string_literal("Kim"), "DA" => Object::string_literal("/F1 10 Tf 0 g"),
            "Rect" => vec![20.into(), 120.into(), 120.into(), 140.into()], "F" => 4,
        });
        page.set("Annots", vec![Object::Reference(field)]);
        catalog.set("AcroForm", dictionary! { "Fields" => vec![Object::Reference(field)] });
    }
    let page = document.add_object(page);
    document.objects.insert(
        pages,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Count" => 1, "Kids" => vec![Object::Reference(page)],
            "MediaBox" => vec![0.into(), 0.into(), 150.into(), 150.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
        }),
    );
    let catalog = document.add_object(catalog);
    document.trailer.set("Root", catalog);
    let id = Object::String(vec![7; 16], lopdf::StringFormat::Hexadecimal);
    document.trailer.set("ID", vec![id.clone(), id]);
    let mut bytes = Vec::new();
    let options = SaveOptions {
        use_object_streams: as_stream,
        use_xref_streams: as_stream,
        ..SaveOptions::default()
    };
    if !as_stream {
        document.reference_table.cross_reference_type = lopdf::xref::XrefType::CrossReferenceTable;
    }
    document.save_with_options(&mut bytes, options).expect("written");
    bytes
}
