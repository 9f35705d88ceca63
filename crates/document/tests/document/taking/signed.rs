//! Uploads that were signed before.

use super::content::with_deleted_content;
use super::*;

/// Signs a sample as another person would before uploading it.
pub fn signed_before(references: References) -> Vec<u8> {
    let stranger = crate::samples::House::new(document::pki::keys::KeyKind::EcdsaP256);
    samples::signed_by_others(&samples::unsigned(references), &stranger.key)
}

pub fn marks(page: u32) -> document::marks::stamp::Mark {
    document::marks::stamp::Mark {
        page,
        placement: domain::field::Placement {
            x: 100_000,
            y: 500_000,
            width: 300_000,
            height: 50_000,
        },
        content: document::marks::stamp::MarkContent::Check,
    }
}

#[test]
fn a_file_that_somebody_signed_before_is_kept_extended_and_its_signature_stays_valid() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    for references in [References::Table, References::Stream] {
        let upload = signed_before(references);
        let taken = take(&upload).expect("taken");
        assert_eq!(taken.pdf, upload, "kept byte for byte");
        assert_eq!(taken.changes, []);
        assert_eq!(taken.warnings, [Warning::AlreadySigned { count: 1 }]);
        let stamped = document::marks::extend::stamp(&taken.pdf, &fonts, &[marks(1), marks(2)]).expect("stamped");
        let sealed = document::sealing::seal(&stamped, &samples::HOUSE.key, &samples::details(false)).expect("sealed");
        assert!(sealed.starts_with(&upload), "extended, never rewritten");
        let root = samples::HOUSE.root.certificate_pem();
        assert_eq!(
            crate::judges::complaints(&sealed, &root),
            Vec::<String>::new(),
            "{references:?}"
        );
        for page in [1, 2] {
            let before = document::pages::render::page_image(&upload, page, 72.0).expect("a picture");
            let after = document::pages::render::page_image(&sealed, page, 72.0).expect("a picture");
            assert_ne!(before, after, "what was filled in shows on page {page}");
        }
    }
}

#[test]
fn marks_on_a_signed_file_are_where_they_are_on_an_unsigned_one() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    for rotate in [0, 90, 180, 270] {
        let form = PageForm {
            rotate,
            user_unit: 2.0,
            ..PageForm::CROPPED
        };
        let plain = take(&page_file(form)).expect("taken").pdf;
        let stranger = &samples::HOUSE.key;
        let signed = samples::signed_by_others(&plain, stranger);
        let on_page = document::marks::stamp::stamp(&plain, &fonts, &[marks(1)]).expect("stamped");
        let beside = document::marks::extend::stamp(&signed, &fonts, &[marks(1)]).expect("stamped");
        let sealed = document::sealing::seal(&beside, stranger, &samples::details(false)).expect("sealed");
        let picture = |pdf: &[u8]| document::pages::render::page_image(pdf, 1, 100.0).expect("a picture");
        assert!(picture(&on_page) == picture(&sealed), "turned by {rotate}");
        assert!(
            crate::pages::poppler(&on_page, 100) == crate::pages::poppler(&sealed, 100),
            "poppler, turned by {rotate}"
        );
    }
}

#[test]
fn a_signed_file_whose_signature_is_broken_or_forbids_more_is_refused_by_name() {
    let mut broken = signed_before(References::Table);
    let position = broken
        .windows(7)
        .position(|window| window == b"stream\n")
        .expect("a stream");
    broken[position + 9] ^= 1;
    assert!(matches!(take(&broken).err(), Some(Refused::BrokenSignature { field, .. }) if field.starts_with("Other")));

    let mut longer = signed_before(References::Table);
    longer.extend_from_slice(b"% and more\n");
    assert_eq!(
        take(&longer).map(|taken| taken.signatures),
        Ok(1),
        "nothing that is shown was added"
    );

    let certified = samples::sealed(References::Table);
    assert_eq!(take(&certified).err(), Some(Refused::CertificationForbids { level: 1 }));

    let approved = document::sealing::seal(
        samples::unsigned(References::Table),
        &samples::HOUSE.key,
        &samples::details(false),
    );
    assert!(matches!(
        take(&approved.expect("approved")).err(),
        Some(Refused::LockForbids { .. })
    ));
}

/// A file whose catalog names this packet as its XMP metadata.
fn described(packet: &[u8]) -> Vec<u8> {
    let mut document = samples::unsigned_document();
    let metadata = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    let metadata = document.add_object(Stream::new(metadata, packet.to_vec()));
    document.catalog_mut().expect("a catalog").set("Metadata", metadata);
    samples::file(document, References::Table)
}

const PACKET: &str = concat!(
    r#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>"#,
    r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>"#,
    r#"</x:xmpmeta><?xpacket end="w"?>"#,
);

/// If verifiers cannot read the metadata, they reject any changes after a signature.
#[test]
fn metadata_that_programs_cannot_read_are_removed_and_never_taken_signed() {
    let stranger = &samples::HOUSE.key;
    let fine = described(PACKET.as_bytes());
    assert_eq!(take(&fine).expect("taken").changes, []);
    assert!(take(&samples::signed_by_others(&fine, stranger)).is_ok());
    let broken = [
        PACKET.replace("</rdf:RDF>", "").replace("/>", ">").into_bytes(),
        PACKET.replace("</x:xmpmeta>", "").into_bytes(),
        PACKET
            .replace("<x:xmpmeta", "<!DOCTYPE x [<!ENTITY a 'a'>]><x:xmpmeta")
            .into_bytes(),
        PACKET.replace("xmpmeta", "other").into_bytes(),
        PACKET.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Vec::new(),
    ];
    for packet in broken {
        let pdf = described(&packet);
        let taken = take(&pdf).expect("taken");
        assert_eq!(taken.changes, [Change::DamagedMetadataRemoved]);
        let document = Document::load_mem(&taken.pdf).expect("readable");
        assert!(!document.catalog().expect("a catalog").has(b"Metadata"));
        let signed = samples::signed_by_others(&pdf, stranger);
        assert_eq!(take(&signed).err(), Some(Refused::SignedWithDamagedMetadata));
    }
}

/// We add our validation data later, in a process shared by all users.
#[test]
fn a_signed_file_is_taken_only_where_validation_data_can_be_added() {
    let stranger = &samples::HOUSE.key;
    let signed = |make: &dyn Fn(&mut Document) -> Dictionary| {
        let pdf = with_catalog(|document, catalog| {
            let store = make(document);
            catalog.set("DSS", document.add_object(store));
        });
        samples::signed_by_others(&pdf, stranger)
    };
    let certificates = |count: usize, length: usize| {
        signed(&move |document| {
            let certificates: Vec<Object> = (0..count)
                .map(|number| {
                    let mut content = vec![0; length];
                    content.extend(number.to_be_bytes());
                    let mut stream = Stream::new(dictionary! {}, content);
                    stream.compress().expect("compressed");
                    document.add_object(stream).into()
                })
                .collect();
            dictionary! { "Type" => "DSS", "Certs" => certificates }
        })
    };
    assert_eq!(take(&certificates(128, 10)).map(|taken| taken.signatures), Ok(1));
    for refused in [
        certificates(129, 10),
        certificates(1, 33 * 1024 * 1024),
        certificates(33, 1024 * 1024),
        signed(&|_| dictionary! { "Certs" => 7 }),
        signed(&|_| dictionary! { "Certs" => vec![7.into()] }),
        signed(&|_| dictionary! { "Price" => 7 }),
    ] {
        assert_eq!(take(&refused).err(), Some(Refused::SignedWithUnusableValidationData));
    }
}

#[test]
fn a_signed_file_with_scripts_is_refused() {
    let scripted = with_catalog(|_, catalog| catalog.set("OpenAction", script()));
    let signed = samples::signed_by_others(&scripted, &samples::HOUSE.key);
    assert_eq!(take(&signed).err(), Some(Refused::SignedAndActive));
}

/// The file must stay unchanged, so viewers would continue to differ.
#[test]
fn a_signed_file_in_which_our_renderer_shows_what_was_deleted_is_refused() {
    let signed = samples::signed_by_others(&with_deleted_content(), &samples::HOUSE.key);
    assert_eq!(take(&signed).err(), Some(Refused::SignedAndReadDifferently { page: 1 }));
}
