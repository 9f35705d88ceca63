//! What the fuzz targets share: the key that the seeds are sealed with, and whose panics count.
//!
//! Strangers' files are read by parser and renderer in a child process that answers a panic with a refusal
//! (`countersign-document-worker`), so that a panic in a foreign crate is no fault there; [`as_in_the_worker`] does the same.
//! A panic in this repository's code is one everywhere, and so is any where the server itself works.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;

use document::fonts::Fonts;
use document::keys::{SealKey, Signer};
use document::seal::SealDetails;
use document::verify::TrustedRoots;
use jiff::Timestamp;
// What the instrumentation calls is in it, for `seeds` too.
use libfuzzer_sys as _;
use lopdf::{Dictionary, Document, Object, SaveOptions, Stream, dictionary};

/// The moment at which everything happens.
///
/// # Panics
/// Never: it is a constant.
pub fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).expect("a moment")
}

/// The folder of key and seeds (`COUNTERSIGN_FUZZ`, which `script/fuzz` sets).
///
/// # Panics
/// Where it is not set.
pub fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os("COUNTERSIGN_FUZZ").expect("COUNTERSIGN_FUZZ: run script/fuzz"))
}

/// The fonts of the program.
///
/// # Panics
/// Where they are broken.
pub fn fonts() -> &'static Fonts {
    static FONTS: OnceLock<Fonts> = OnceLock::new();
    FONTS.get_or_init(|| Fonts::embedded().expect("the embedded fonts"))
}

/// The key that the seeds are sealed with, and whoever trusts it.
pub struct Seal {
    /// The key.
    pub key: SealKey,
    /// Its root.
    pub roots: TrustedRoots,
}

/// The key that `seeds` made.
///
/// # Panics
/// Where it was not made.
pub fn seal_key() -> &'static Seal {
    static SEAL: OnceLock<Seal> = OnceLock::new();
    SEAL.get_or_init(|| {
        let read = |name: &str| std::fs::read(folder().join("seal").join(name)).expect("`seeds` was run");
        let key = SealKey::new(&read("key.der"), vec![read("certificate.der"), read("root.der")]).expect("a key");
        let root = key.certificates().last().expect("a root").clone();
        Seal {
            key,
            roots: TrustedRoots::new(vec![root]),
        }
    })
}

/// What the seal says.
pub fn details(certify: bool) -> SealDetails {
    SealDetails {
        reason: "Fuzz".to_owned(),
        name: "Fuzz".to_owned(),
        location: None,
        at: now(),
        certify,
        mark: None,
    }
}

thread_local! {
    static IN_WORKER: Cell<bool> = const { Cell::new(false) };
}

/// Ends the process on a panic: of this repository's code anywhere, of any other outside of [`as_in_the_worker`].
pub fn watch_panics() {
    std::panic::set_hook(Box::new(|info| {
        if is_ours(info) || !IN_WORKER.get() {
            eprintln!("{info}\n{}", std::backtrace::Backtrace::force_capture());
            std::process::abort();
        }
    }));
}

fn is_ours(info: &PanicHookInfo<'_>) -> bool {
    let file = info.location().map_or("", std::panic::Location::file);
    // Crates of others lie in the registry, the standard library in `/rustc/…` (what it is asked wrongly by us is seen only
    // by its callers, so it counts as ours).
    !file.contains("registry/src") && !file.contains("/git/checkouts/")
}

/// The answer, or none where a foreign crate panicked.
pub fn as_in_the_worker<T>(work: impl FnOnce() -> T) -> Option<T> {
    IN_WORKER.set(true);
    let answer = catch_unwind(AssertUnwindSafe(work)).ok();
    IN_WORKER.set(false);
    answer
}

/// A document of one page with a word on it, with a form or without.
///
/// # Panics
/// Never: it is the same every time.
pub fn sample(form: bool, as_stream: bool) -> Vec<u8> {
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
