//! Revisions added after a signature by someone without a key. They exploit differences between readers, show unsigned
//! content, or replace a signed object with one that has a second role.

use const_oid::ObjectIdentifier;
use document::intake::{Limits, Refused, inspect};
use document::pdf::defect::DeviationKind;
use document::pki::authority::{CertificateRequest, extension, issue_certificate};
use document::pki::keys::PrivateKey;
use document::sealing::validation_data::add_archive_timestamp;
use x509_cert::ext::pkix::{ExtendedKeyUsage, KeyUsage, KeyUsages};

use super::permissions::{fill, form};
use super::validation_data::with_store;
use super::*;
use crate::timestamps::{authority, data};

const EVIL: &[u8] = b"BT /F1 40 Tf 72 400 Td (pay 999999) Tj ET";

/// Appends a revision of validation data to a sealed file and rewrites its section with `change`. If `is_hidden`, other
/// content for the first page, which no section names, precedes that revision.
fn with_section(is_hidden: bool, change: impl FnOnce(&str) -> String) -> Vec<u8> {
    let sealed = sealed(References::Table);
    let content = content_of_first_page(&Document::load_mem(&sealed).expect("readable"));
    let pdf = with_store(&sealed);
    let at = find_last(&pdf, b"\nxref\n") + 1;
    let mut forged = pdf[..at].to_vec();
    if is_hidden {
        forged.extend(format!("{} 0 obj\n<</Length {}>>stream\n", content.0, EVIL.len()).as_bytes());
        forged.extend([EVIL, b"\nendstream\nendobj\n"].concat());
    }
    let section = String::from_utf8_lossy(&pdf[at..]).into_owned();
    let section = section.replace(&format!("startxref\n{at}\n"), &format!("startxref\n{}\n", forged.len()));
    forged.extend(change(&section).as_bytes());
    forged
}

#[test]
fn bytes_that_no_section_names_are_named() {
    assert!(judge(&with_section(false, str::to_owned)).holds_strictly());
    let is_damaged = |fault: &Fault| matches!(fault, Fault::DamagedStructure { .. });
    assert_names(&with_section(true, str::to_owned), is_damaged);
    // The same object between two revisions, and in a comment.
    let pdf = with_section(false, |section| format!("{section}9 0 obj\nnull\nendobj\n"));
    assert_names(&with_store(&pdf), is_damaged);
    let hidden = with_section(false, |section| section.replace("trailer", "% 9 0 obj\ntrailer"));
    assert_names(&hidden, is_damaged);
}

/// Rewrites the offsets of the table's entries.
fn with_offsets(write: impl Fn(&str) -> String) -> Vec<u8> {
    with_section(false, |section| {
        let line = |line: &str| match line.split_once(' ') {
            Some((offset, rest)) if rest.ends_with("n\r") => format!("{} {rest}", write(offset)),
            _ => line.to_owned(),
        };
        section.split('\n').map(line).collect::<Vec<_>>().join("\n")
    })
}

/// Some programs read each section as written. Others repair the file by searching it for objects.
#[test]
fn a_section_that_some_programs_mend_is_named() {
    let replaced = |old: &str, new: &str| with_section(false, |section| section.replace(old, new));
    let size = |section: &str| {
        let rest = section.split_once("/Size ").expect("a size").1;
        rest.chars().take_while(char::is_ascii_digit).collect::<String>()
    };
    let with_size = |new: &str| {
        with_section(false, |section| {
            section.replace(&format!("/Size {}", size(section)), &format!("/Size {new}"))
        })
    };
    let forgeries = [
        ("19 bytes, LF", replaced(" n\r\n", " n\n")),
        ("19 bytes, CR", replaced(" n\r\n", " n\r")),
        ("21 bytes", replaced(" n\r\n", " n \r\n")),
        ("short generation", replaced(" 00000 n", " 0 n")),
        ("offset of 13 digits", with_offsets(|offset| format!("000{offset}"))),
        ("offset of 5 digits", with_offsets(|offset| offset[5..].to_owned())),
        ("size that no program believes", with_size("99999999")),
        ("size too small", with_size("3")),
        ("signed size", with_size("+99")),
        ("real size", with_size("99.0")),
        ("hybrid without a stream", replaced("/Size", "/XRefStm 0/Size")),
        ("hybrid that leads elsewhere", replaced("/Size", "/XRefStm 5/Size")),
        ("previous with a sign", replaced("/Prev ", "/Prev +")),
        ("root twice", replaced("/Root", "/Root 99 0 R/Root")),
        ("start with a sign", replaced("startxref\n", "startxref\n+")),
        ("start in a comment", replaced("startxref\n", "startxref % 7\n")),
        ("two starts", replaced("startxref\n", "startxref\n7\nstartxref\n")),
        ("two ends", replaced("%%EOF\n", "%%EOF\nstartxref\n7\n%%EOF\n")),
        ("two trailers", replaced("trailer\n", "trailer\n<</Size 3>>\ntrailer\n")),
    ];
    let passed: Vec<&str> = forgeries
        .iter()
        .filter(|(_, pdf)| judge(pdf).holds())
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(passed, Vec::<&str>::new());
}

/// The sender must see this as a different problem from a broken signature.
#[test]
fn what_was_added_in_a_lax_spelling_is_described_so_at_intake() {
    let line_ends = with_section(false, |section| section.replace(" n\r\n", " n\n"));
    let before = |offset: &str| format!("{:010}", offset.parse::<usize>().expect("an offset") - 1);
    for (pdf, deviation) in [
        (line_ends, DeviationKind::EntrySpelling),
        (with_offsets(before), DeviationKind::SpaceBeforeObject),
    ] {
        assert!(!judge(&pdf).holds());
        let refused = inspect(pdf, &Limits::default()).err();
        let is_named = matches!(&refused, Some(Refused::SignedLaxly { deviation: named, .. }) if *named == deviation);
        assert!(is_named, "{refused:?}");
    }
}

#[test]
fn a_comment_between_a_trailer_and_its_start_is_no_fault() {
    let pdf = with_section(false, |section| {
        section.replace("startxref", "%Maker-7.1.16\nstartxref")
    });
    assert!(judge(&pdf).holds_strictly(), "{:#?}", judge(&pdf));
}

/// An authority timestamps anything it receives, so its timestamp does not vouch for earlier additions.
#[test]
fn a_document_timestamp_answers_for_nothing_but_validation_data() {
    let (_, authority) = authority(testkit::time_stamp_authority::Revocation::List);
    let stamp = |pdf: &[u8]| add_archive_timestamp(pdf, &data(&authority, now()), &authority).expect("stamped");
    let signed = signed_by_others(&form(), &HOUSE.key);
    let pem = HOUSE.root.certificate_pem() + &authority.root_pem();
    let both = TrustedRoots::from_pem(&pem).expect("roots");
    for roots in [HOUSE.roots(), both] {
        let faults = |pdf: &[u8]| verify(pdf, &roots, now()).faults;
        assert_eq!(faults(&stamp(&signed)), Vec::<Fault>::new());
        assert_eq!(faults(&stamp(&stamp(&signed))), Vec::<Fault>::new());
        let filled = faults(&stamp(&fill(&signed, "Name")));
        assert!(
            matches!(filled.as_slice(), [Fault::NotCoveredToEnd { .. }]),
            "{filled:?}"
        );
        let between = faults(&stamp(&fill(&stamp(&signed), "Name")));
        assert!(
            matches!(between.as_slice(), [Fault::NotCoveredToEnd { .. }]),
            "{between:?}"
        );
    }
    // The last signature covers everything.
    assert!(judge(&signed_by_others(&fill(&signed, "Name"), &HOUSE.key)).holds_strictly());
}

/// Adds a field to the form and to the first page.
fn add_field(pdf: &[u8], field: Dictionary) -> Vec<u8> {
    append(pdf, |document, writer| {
        let shown = writer.add(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form" },
            EVIL.to_vec(),
        ));
        let mut field = field;
        field.set("AP", dictionary! { "N" => shown });
        let field = writer.add(field);
        let form = document.catalog().and_then(|catalog| catalog.get(b"AcroForm"));
        let form = form.and_then(Object::as_reference).expect("a form");
        for (id, key) in [(form, "Fields"), (first_page(document), "Annots")] {
            let holder = writer.edit_dictionary(id).expect("a holder");
            let mut array = holder
                .get(key.as_bytes())
                .and_then(Object::as_array)
                .expect("an array")
                .clone();
            array.push(field.into());
            holder.set(key, array);
        }
    })
}

#[test]
fn a_signature_field_that_shows_and_nobody_signed_is_named() {
    let field = |right: i64| {
        dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "T" => Object::string_literal("Empty"), "F" => 4,
            "Rect" => vec![0.into(), 0.into(), right.into(), right.into()],
        }
    };
    let signed = signed_by_others(&form(), &HOUSE.key);
    assert_change(&add_field(&signed, field(600)), Part::Field, How::AddedVisibly, Some(1));
    // An invisible field is a place for the next signer.
    let prepared = add_field(&signed, field(0));
    assert!(judge(&signed_by_others(&prepared, &HOUSE.key)).holds_strictly());
    // It must not become visible through a second reference to something that is not a signature.
    let with_value = |value: Object| {
        let mut field = field(600);
        field.set("V", value);
        add_field(&signed, field)
    };
    for value in [Object::Null, Object::Reference((9_999, 0)), Object::Integer(7)] {
        assert_change(&with_value(value), Part::Field, How::AddedVisibly, Some(1));
    }
}

/// The field was signed earlier, but its signature object has been freed.
#[test]
fn a_signature_field_that_is_empty_again_is_not_called_signed() {
    let signed = signed_by_others(&form(), &HOUSE.key);
    let nowhere = Object::Reference((9_999, 0));
    let later = |pdf: &[u8]| {
        let verdict = judge(&signed_by_others(pdf, &HOUSE.key));
        assert!(verdict.holds_strictly(), "{verdict:#?}");
        let later = verdict.signatures[0].later.iter();
        let parts = later.map(|change| (change.field.clone().unwrap_or_default(), change.part));
        parts.collect::<Vec<_>>()
    };
    let new = dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "T" => Object::string_literal("New"),
        "Rect" => vec![0.into(), 0.into(), 0.into(), 0.into()], "V" => nowhere.clone(),
    };
    let of_new = later(&add_field(&signed, new));
    assert!(of_new.contains(&("New".to_owned(), Part::Field)), "{of_new:?}");
    let prepared = append(&signed, |document, writer| {
        let field = writer.edit_dictionary(field_of(document, "Signer")).expect("the field");
        field.set("V", nowhere);
    });
    assert!(later(&prepared).iter().all(|(field, _)| field != "Signer"));
}

/// Signs `document` so that fields may be filled in, and then applies `change`.
fn changed(
    mut document: Document,
    prepare: impl FnOnce(&mut Document),
    level: i64,
    change: impl FnOnce(&Document, &mut RevisionWriter<'_>),
) -> Vec<u8> {
    prepare(&mut document);
    append(&certify(&file(document, References::Table), level), change)
}

fn drawing() -> Stream {
    Stream::new(dictionary! { "Type" => "XObject", "Subtype" => "Form" }, EVIL.to_vec())
}

/// Puts new content under `/V` of a field.
fn set_value(name: &'static str) -> impl FnOnce(&Document, &mut RevisionWriter<'_>) {
    move |document, writer| {
        let shown = writer.add(drawing());
        let field = writer.edit_dictionary(field_of(document, name)).expect("the field");
        field.set("V", shown);
    }
}

#[test]
fn a_push_button_has_nothing_to_fill_in() {
    let read = || Document::load_mem(&form()).expect("readable");
    for is_inherited in [false, true] {
        let prepare = |document: &mut Document| {
            let field = field_of(document, "Price");
            let kind = dictionary! { "FT" => "Btn", "Ff" => 1 << 16 };
            if is_inherited {
                let mut parent = kind;
                parent.set("Kids", vec![Object::Reference(field)]);
                let parent = document.add_object(parent);
                let button = document.get_dictionary_mut(field).expect("the field");
                button.remove(b"FT");
                button.set("Parent", parent);
                let form = document.catalog().and_then(|catalog| catalog.get(b"AcroForm"));
                let form = form.and_then(Object::as_reference).expect("a form");
                let form = document.get_dictionary_mut(form).expect("a form");
                form.set("Fields", vec![Object::Reference(parent)]);
            } else {
                let button = document.get_dictionary_mut(field).expect("the field");
                for (key, value) in kind {
                    button.set(key, value);
                }
            }
        };
        let another = changed(read(), prepare, 2, |document, writer| {
            let shown = writer.add(drawing());
            let button = writer.edit_dictionary(field_of(document, "Price")).expect("the button");
            button.set("AP", dictionary! { "N" => shown });
        });
        assert_field(&another, Part::Field, How::FilledIn, "Price");
        let in_place = changed(read(), prepare, 2, |document, writer| {
            let button = document
                .get_dictionary(field_of(document, "Price"))
                .expect("the button");
            let shown = button.get(b"AP").and_then(Object::as_dict).expect("an appearance");
            let shown = shown.get(b"N").and_then(Object::as_reference).expect("a drawing");
            writer.replace(shown, drawing());
        });
        assert_field(&in_place, Part::Field, How::Changed, "Price");
    }
}

fn note_of(document: &Document) -> ObjectId {
    let is_note = |object: &Object| {
        let note = object.as_dict().and_then(|note| note.get(b"Subtype"));
        note.and_then(Object::as_name).is_ok_and(|kind| kind == b"Text")
    };
    let mut objects = document.objects.iter();
    *objects.find(|(_, object)| is_note(object)).expect("the note").0
}

/// An object that a page, another field or the whole document uses must not change, even if it also has a role in which
/// changes are allowed.
#[test]
fn what_is_used_besides_may_not_change_by_its_other_name() {
    let read = || Document::load_mem(&form()).expect("readable");
    let resources_are = |document: &mut Document, id: ObjectId| {
        let page = first_page(document);
        let page = document.get_dictionary_mut(page).expect("a page");
        let mut resources = page
            .get(b"Resources")
            .and_then(Object::as_dict)
            .cloned()
            .unwrap_or_default();
        resources.set("XObject", id);
        page.set("Resources", resources);
    };
    let is_forbidden = |name: &str, pdf: &[u8]| assert!(!forbidden(pdf).is_empty(), "{name}");

    // Control case: nothing else uses the field.
    let free = changed(read(), |_| {}, 2, set_value("Name"));
    assert_permitted(&free, Part::Field, How::FilledIn);

    let field_as_resources = |document: &mut Document| {
        let field = field_of(document, "Name");
        resources_are(document, field);
    };
    is_forbidden("field", &changed(read(), field_as_resources, 2, set_value("Name")));

    // A locked field displays another field's value.
    let mut document = read();
    let (free, locked) = (field_of(&document, "Name"), field_of(&document, "Price"));
    let button = document.get_dictionary_mut(locked).expect("the field");
    button.set("AP", dictionary! { "N" => free });
    button.set("AS", "V");
    let lock = lock(&file(document, References::Table), "Include", &["Price"]);
    is_forbidden("appearance", &append(&lock, set_value("Name")));

    // An annotation, which level 3 allows anyone to change.
    let note_as_resources = |document: &mut Document| {
        let note = note_of(document);
        resources_are(document, note);
    };
    let change_note = |document: &Document, writer: &mut RevisionWriter<'_>| {
        let shown = writer.add(drawing());
        writer
            .edit_dictionary(note_of(document))
            .expect("the note")
            .set("X", shown);
    };
    assert_permitted(&changed(read(), |_| {}, 3, change_note), Part::Annotation, How::Changed);
    is_forbidden("note", &changed(read(), note_as_resources, 3, change_note));

    // The catalog, which may gain a description.
    let catalog_as_resources = |document: &mut Document| {
        let catalog = document
            .trailer
            .get(b"Root")
            .and_then(Object::as_reference)
            .expect("a root");
        resources_are(document, catalog);
    };
    let describe = |_: &Document, writer: &mut RevisionWriter<'_>| {
        let shown = writer.add(Stream::new(
            dictionary! { "Type" => "Metadata", "Subtype" => "XML" },
            packet("", "").into_bytes(),
        ));
        let root = writer.root();
        writer.edit_dictionary(root).expect("a catalog").set("Metadata", shown);
    };
    assert_permitted(&changed(read(), |_| {}, 2, describe), Part::Catalog, How::Added);
    is_forbidden("catalog", &changed(read(), catalog_as_resources, 2, describe));
}

/// An appearance that several fields share belongs to none of them, and neither do the objects it refers to.
#[test]
fn what_many_fields_share_may_change_if_each_of_them_may() {
    let mut document = unsigned_document();
    let inner = document.add_object(drawing());
    let mut outer = drawing();
    outer.dict.set(
        "Resources",
        dictionary! { "XObject" => dictionary! { "X" => Object::Reference(inner) } },
    );
    let outer = document.add_object(outer);
    let fields: Vec<Object> = (0..40)
        .map(|number| {
            let name = if number == 39 {
                "Locked".to_owned()
            } else {
                format!("Free{number}")
            };
            Object::Reference(document.add_object(dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal(name),
                "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()], "AP" => dictionary! { "N" => outer },
            }))
        })
        .collect();
    let form = document.add_object(dictionary! { "Fields" => fields });
    document.catalog_mut().expect("a catalog").set("AcroForm", form);
    let locked = lock(&file(document, References::Table), "Include", &["Locked"]);
    let pdf = append(&locked, |_, writer| {
        let mut other = drawing();
        other.set_plain_content(b"q Q".to_vec());
        writer.replace(inner, other);
    });
    assert!(!forbidden(&pdf).is_empty());
}

/// An XMP packet with one description containing these attributes and elements.
fn packet(attributes: &str, elements: &str) -> String {
    format!(
        r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
        rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
        xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" {attributes}>{elements}</rdf:Description>
        </rdf:RDF></x:xmpmeta>"#
    )
}

#[test]
fn a_later_revision_describes_nothing_but_itself() {
    let metadata = |packet: String| {
        Stream::new(
            dictionary! { "Type" => "Metadata", "Subtype" => "XML" },
            packet.into_bytes(),
        )
    };
    let title = "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">Contract</rdf:li></rdf:Alt></dc:title>";
    let stated = "<pdfaid:part>2</pdfaid:part><xmp:CreateDate>2026-01-01</xmp:CreateDate>";
    let mut document = unsigned_document();
    let id = document.add_object(metadata(packet("", &format!("{title}{stated}"))));
    document.catalog_mut().expect("a catalog").set("Metadata", id);
    let signed = certify(&file(document, References::Table), 1);
    let with = |attributes: &str, elements: &str| {
        append(&signed, |_, writer| {
            writer.replace(id, metadata(packet(attributes, elements)));
        })
    };
    let of_revision = "<xmp:ModifyDate>2027-01-01</xmp:ModifyDate><xmp:MetadataDate>2027-01-01</xmp:MetadataDate>\
                       <pdf:Producer>Another</pdf:Producer>";
    for (attributes, elements) in [
        ("", format!("{title}{stated}{of_revision}")),
        ("", format!("{stated}{title}")),
        (
            "pdfaid:part='2' xmp:CreateDate='2026-01-01' xmp:ModifyDate='2027'",
            title.to_owned(),
        ),
    ] {
        assert_permitted(&with(attributes, &elements), Part::Metadata, How::Changed);
    }
    for (attributes, elements) in [
        ("", stated.to_owned()),
        ("", format!("{}{stated}", title.replace("Contract", "Another"))),
        ("", format!("{}{stated}", title.replace("x-default", "en"))),
        ("", format!("{title}{}", stated.replace('2', "3"))),
        ("dc:format='text/plain'", format!("{title}{stated}")),
        (
            "",
            format!("{title}{stated}<dc:creator><rdf:Seq><rdf:li>Mallory</rdf:li></rdf:Seq></dc:creator>"),
        ),
    ] {
        assert_change(&with(attributes, &elements), Part::Metadata, How::Changed, None);
    }

    // A file that had neither may gain both, if they are equally harmless.
    let mut document = unsigned_document();
    document.trailer.remove(b"Info");
    let bare = certify(&file(document, References::Table), 1);
    let described = |elements: &str| {
        append(&bare, |_, writer| {
            let added = writer.add(metadata(packet("", elements)));
            let root = writer.root();
            writer.edit_dictionary(root).expect("a catalog").set("Metadata", added);
        })
    };
    assert_permitted(&described(of_revision), Part::Catalog, How::Added);
    assert_change(&described(title), Part::Catalog, How::Added, None);
    let with_information = |information: Dictionary| {
        let mut document = Document::load_mem(&bare).expect("readable");
        let next = RevisionWriter::new(&bare, &document)
            .expect("a revision")
            .add(dictionary! {});
        document.trailer.set("Info", next);
        let mut writer = RevisionWriter::new(&bare, &document).expect("a revision");
        assert_eq!(writer.add(information), next);
        writer.finish().expect("written").bytes
    };
    let own = dictionary! {
        "Producer" => Object::string_literal("Another"), "ModDate" => Object::string_literal("D:20270101000000Z"),
    };
    assert_permitted(&with_information(own.clone()), Part::Metadata, How::Added);
    for key in ["Title", "Author", "CreationDate", "Unknown"] {
        let mut information = own.clone();
        information.set(key, Object::string_literal("Another"));
        assert_change(&with_information(information), Part::Metadata, How::Added, None);
    }
}

/// RFC 5280, 4.2.1.12: a certificate that states purposes for its key must not be used for others.
#[test]
fn a_certificate_for_other_things_than_documents_is_named() {
    const SERVER: &str = "1.3.6.1.5.5.7.3.1";
    let key_for = |purposes: &[&str]| {
        let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
        let mut extensions =
            vec![extension(true, &KeyUsage(KeyUsages::DigitalSignature.into())).expect("an extension")];
        if !purposes.is_empty() {
            let purposes = purposes
                .iter()
                .map(|purpose| ObjectIdentifier::new_unwrap(purpose))
                .collect();
            extensions.push(extension(false, &ExtendedKeyUsage(purposes)).expect("an extension"));
        }
        let request = CertificateRequest {
            common_name: "Somebody",
            extensions,
            not_before: now() - SignedDuration::from_hours(24),
            not_after: now() + SignedDuration::from_hours(24),
        };
        let certificate = issue_certificate(Some(&HOUSE.root), &key, request).expect("a certificate");
        SealKey::from_key(key, vec![certificate]).expect("a key")
    };
    let signed = |purposes: &[&str]| signed_by_others(&unsigned(References::Table), &key_for(purposes));
    for purposes in [
        &[][..],
        &["2.5.29.37.0"],
        &["1.3.6.1.5.5.7.3.4"],
        &["1.3.6.1.5.5.7.3.36"],
        &["1.3.6.1.5.5.7.3.2", SERVER],
        &["1.3.6.1.4.1.311.10.3.12"],
        &["1.2.840.113583.1.1.5"],
    ] {
        assert!(judge(&signed(purposes)).holds_strictly(), "{purposes:?}");
    }
    for purposes in [
        &[SERVER][..],
        &["1.3.6.1.5.5.7.3.8"],
        &["1.3.6.1.5.5.7.3.9", "1.3.6.1.5.5.7.3.3"],
    ] {
        assert_names(
            &signed(purposes),
            |fault| matches!(fault, Fault::CertificateUnusable { reason, .. } if reason.contains("does not include signing documents")),
        );
    }
}

#[test]
fn a_signature_that_is_gone_from_its_object_is_named() {
    for references in [References::Table, References::Stream] {
        let pdf = append(&sealed(references), |document, writer| {
            writer.replace(signature_of(document), Object::Null);
        });
        assert_names(&pdf, |fault| matches!(fault, Fault::FieldRemoved { .. }));
    }
}
