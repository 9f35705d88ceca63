//! Cross-references that do not point to their objects, and harmless changes that may follow a signature: white space,
//! form defaults, and changes that the verdict reports for every field that displays them.

use document::intake::{Limits, Refused, inspect};
use document::verify::{Change, Fault, How, Part, Verdict, verify};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

use crate::raw_revision::{RawRevision, Said, Style, object_stream, stream, with_entries};
use crate::samples::{HOUSE, References, file, now, sealed, sign_with, signed_by_others, unsigned, unsigned_document};

const EVIL: &[u8] = b"BT /F1 24 Tf 50 500 Td (The buyer pays 99999 EUR.) Tj ET";

fn judge(pdf: &[u8]) -> Verdict {
    verify(pdf, &HOUSE.roots(), now())
}

fn faults(verdict: &Verdict) -> Vec<&Fault> {
    verdict.all_faults().map(|(_, fault)| fault).collect()
}

/// Known objects of a file.
struct Known {
    document: Document,
    root: u32,
    page: u32,
    content: u32,
}

impl Known {
    fn of(pdf: &[u8]) -> Self {
        let document = Document::load_mem(pdf).expect("readable");
        let number = |dictionary: &Dictionary, key: &[u8]| {
            let id = dictionary.get(key).and_then(Object::as_reference);
            id.expect("a reference").0
        };
        let page = document.page_iter().next().expect("a page");
        Self {
            root: number(&document.trailer, b"Root"),
            page: page.0,
            content: number(document.get_dictionary(page).expect("a page"), b"Contents"),
            document,
        }
    }

    fn dictionary(&self, number: u32) -> &Dictionary {
        self.document.get_dictionary((number, 0)).expect("a dictionary")
    }

    fn next(&self) -> u32 {
        self.document.max_id + 1
    }

    fn revision(&self, pdf: &[u8]) -> RawRevision {
        let mut revision = RawRevision::new(pdf, self.root);
        if let Ok(info) = self.document.trailer.get(b"Info") {
            revision.add_to_trailer("Info", info);
        }
        revision
    }

    /// Adds validation data, which anyone may add.
    fn dress(&self, revision: &mut RawRevision, pages: Option<u32>) {
        let store = self.next();
        let mut entries = vec![("DSS", Object::Reference((store, 0)))];
        entries.extend(pages.map(|pages| ("Pages", Object::Reference((pages, 0)))));
        revision.named(self.root, &with_entries(self.dictionary(self.root), &entries));
        revision.named(store, b"<</Type/DSS/Certs[]>>");
    }
}

fn evil_content() -> Vec<u8> {
    stream(&format!("<</Length {}>>", EVIL.len()), EVIL)
}

fn style_of(references: References) -> Style {
    match references {
        References::Table => Style::Table,
        References::Stream => Style::Stream,
    }
}

fn find_last(bytes: &[u8], text: &[u8]) -> usize {
    bytes
        .windows(text.len())
        .rposition(|window| window == text)
        .expect("found")
}

/// Adds validation data, followed by another catalog with other pages and an entry for an unused number that points to
/// the end of the signed file. There our reader finds the harmless catalog of the revision in between.
fn with_old_catalog_brought_back(pdf: &[u8], references: References) -> Vec<u8> {
    let known = Known::of(pdf);
    let style = style_of(references);
    let end = find_last(pdf, b"%%EOF");
    let mut dressed = known.revision(pdf);
    known.dress(&mut dressed, None);
    let dressed = dressed.finish(style, known.next() + 1);

    let [tree, page, content, stray] = [2, 3, 4, 5].map(|more| known.next() + more);
    let mut forged = known.revision(&dressed);
    known.dress(&mut forged, Some(tree));
    forged.named(tree, format!("<</Type/Pages/Kids[{page} 0 R]/Count 1>>").as_bytes());
    let own = known.dictionary(known.page);
    let entries = [
        ("Contents", Object::Reference((content, 0))),
        ("Parent", Object::Reference((tree, 0))),
    ];
    forged.named(page, &with_entries(own, &entries));
    forged.named(content, &evil_content());
    forged.rows.push((stray, Said::At(end, 0)));
    forged.finish(style, stray + 1)
}

/// Replaces the content of the page. Our reader does not see the new content, because a stray entry points to the
/// signed content.
fn with_old_content_brought_back(pdf: &[u8], references: References) -> Vec<u8> {
    let known = Known::of(pdf);
    let header = format!("\n{} 0 obj", known.content);
    let old = find_last(pdf, header.as_bytes());
    let mut forged = known.revision(pdf);
    known.dress(&mut forged, None);
    forged.named(known.content, &evil_content());
    // Our reader skips the comment or the line before the header.
    forged.rows.push((known.next() + 1, Said::At(old, 0)));
    forged.finish(style_of(references), known.next() + 2)
}

#[test]
fn an_entry_that_brings_an_old_object_back_is_named_a_forgery() {
    for references in [References::Table, References::Stream] {
        for signed in [sealed(references), signed_by_others(&unsigned(references), &HOUSE.key)] {
            assert!(judge(&signed).holds_strictly());
            for forged in [
                with_old_catalog_brought_back(&signed, references),
                with_old_content_brought_back(&signed, references),
            ] {
                let verdict = judge(&forged);
                assert!(!verdict.holds());
                assert!(
                    matches!(faults(&verdict).first(), Some(Fault::ForgedReferences { .. })),
                    "{verdict:#?}"
                );
                // Signing again, or overriding the entry with another, does not help.
                let further = judge(&signed_by_others(&forged, &HOUSE.key));
                assert!(
                    faults(&further)
                        .iter()
                        .any(|fault| matches!(fault, Fault::ForgedReferences { .. })),
                    "{further:#?}"
                );
            }
        }
    }
}

#[test]
fn an_entry_that_leads_to_nothing_at_all_is_a_forgery_too() {
    let signed = sealed(References::Table);
    let known = Known::of(&signed);
    for at in [0, 7, signed.len() - 3, signed.len() + 9_999] {
        let mut forged = known.revision(&signed);
        known.dress(&mut forged, None);
        forged.rows.push((known.next() + 1, Said::At(at, 0)));
        let verdict = judge(&forged.finish(Style::Table, known.next() + 2));
        assert!(
            faults(&verdict).contains(&&Fault::ForgedReferences {
                object: known.next() + 1
            }),
            "{at}: {verdict:#?}"
        );
        // In an unreadable file, a signature is reported but proves nothing.
        let [signature] = verdict.signatures.as_slice() else {
            panic!("{at}: {verdict:#?}")
        };
        assert_eq!(signature.covered, signed.len() as u64);
        assert!(at == 0 || !signature.is_intact(), "{at}: {verdict:#?}");
    }
}

#[test]
fn an_entry_of_an_object_stream_leads_to_that_object_at_that_index() {
    let signed = sealed(References::Stream);
    let known = Known::of(&signed);
    let [container, first, second] = [1, 2, 3].map(|more| known.next() + more);
    let with = |rows: &[(u32, Said)], members: &[(u32, Vec<u8>)]| {
        let mut revision = known.revision(&signed);
        known.dress(&mut revision, None);
        revision.named(container, &object_stream(members));
        revision.rows.extend(rows);
        judge(&revision.finish(Style::Stream, second + 1))
    };
    let members = [(first, b"null".to_vec()), (second, b"<</A 1>>".to_vec())];
    let right = [
        (first, Said::Within(container, 0)),
        (second, Said::Within(container, 1)),
    ];
    let verdict = with(&right, &members);
    assert!(verdict.holds(), "{verdict:#?}");
    for wrong in [
        [right[0], (second, Said::Within(container, 2))],
        [
            (first, Said::Within(container, 1)),
            (second, Said::Within(container, 0)),
        ],
        [right[0], (second, Said::Within(known.page, 0))],
        [right[0], (second, Said::Within(99_999, 0))],
        [right[0], (second, Said::Within(known.root, 0))],
    ] {
        let verdict = with(&wrong, &members);
        assert!(
            faults(&verdict)
                .iter()
                .any(|fault| matches!(fault, Fault::ForgedReferences { .. })),
            "{wrong:?}: {verdict:#?}"
        );
    }
    // Covers objects that the object stream contains but does not list, and duplicated ones.
    assert!(!with(&right[..1], &members).holds());
    let twice = [members[0].clone(), members[0].clone()];
    assert!(!with(&right[..1], &twice).holds());
}

/// The reader used to replace an unreadable object with an older state from an object stream.
#[test]
fn an_object_that_cannot_be_read_is_not_replaced_by_its_older_state() {
    let signed = sealed(References::Stream);
    let known = Known::of(&signed);
    let content = known.next() + 1;
    for deep in ["[", "("].map(|open| (open.repeat(150), if open == "[" { "]" } else { ")" }.repeat(150))) {
        let page = with_entries(
            known.dictionary(known.page),
            &[("Contents", Object::Reference((content, 0)))],
        );
        let page = [
            &page[..page.len() - 2],
            format!("/Deep {}{}>>", deep.0, deep.1).as_bytes(),
        ]
        .concat();
        let mut forged = known.revision(&signed);
        known.dress(&mut forged, None);
        forged.named(content, &evil_content());
        forged.named(known.page, &page);
        let verdict = judge(&forged.finish(Style::Stream, content + 1));
        assert!(!verdict.holds(), "{verdict:#?}");
    }
}

/// Objects that some programs do not see must not replace signed ones.
#[test]
fn the_hidden_part_of_a_hybrid_file_may_only_be_new() {
    let signed = sealed(References::Table);
    let known = Known::of(&signed);
    let [container, member] = [1, 2].map(|more| known.next() + more);
    let with = |members: &[(u32, Vec<u8>)], seen: Option<Said>, hidden: (u32, Said)| {
        let mut revision = known.revision(&signed);
        known.dress(&mut revision, None);
        revision.named(container, &object_stream(members));
        revision.rows.extend(seen.map(|said| (hidden.0, said)));
        revision.hidden.push(hidden);
        judge(&revision.finish(Style::Hybrid, member + 1))
    };
    let new = [(member, b"<</A 1>>".to_vec())];
    for seen in [None, Some(Said::Free)] {
        let verdict = with(&new, seen, (member, Said::Within(container, 0)));
        assert!(verdict.holds(), "{verdict:#?}");
    }
    let page = [(known.page, b"<</Type/Page>>".to_vec())];
    for seen in [None, Some(Said::Free)] {
        assert!(!with(&page, seen, (known.page, Said::Within(container, 0))).holds());
    }
}

/// An unsigned file with an entry for an unused number, as some programs write it.
fn with_unused_entry(references: References, at: usize) -> Vec<u8> {
    let plain = unsigned(references);
    let known = Known::of(&plain);
    let mut revision = known.revision(&plain);
    revision.rows.push((known.next(), Said::At(at, 0)));
    revision.finish(style_of(references), known.next() + 1)
}

#[test]
fn a_file_that_was_signed_with_such_an_entry_is_damaged_and_not_forged() {
    for references in [References::Table, References::Stream] {
        let prepared = with_unused_entry(references, 0);
        let signed = signed_by_others(&prepared, &HOUSE.key);
        let known = Known::of(&signed);
        let mut extended = known.revision(&signed);
        known.dress(&mut extended, None);
        let extended = extended.finish(style_of(references), known.next() + 1);
        for pdf in [&signed, &extended, &signed_by_others(&signed, &HOUSE.key)] {
            let verdict = judge(pdf);
            let is_damaged = matches!(faults(&verdict).as_slice(), [Fault::DamagedStructure { .. }]);
            assert!(is_damaged, "{verdict:#?}");
        }
    }
}

#[test]
fn an_upload_whose_entries_lead_nowhere_is_taken_if_it_is_certainly_unsigned() {
    for references in [References::Table, References::Stream] {
        let taken = inspect(with_unused_entry(references, 0), &Limits::default());
        assert!(taken.is_ok(), "{:?}", taken.err());
    }
    // A file in which our reader finds no signature, but another reader may.
    for references in [References::Table, References::Stream] {
        let signed = sealed(references);
        let known = Known::of(&signed);
        let mut catalog = known.dictionary(known.root).clone();
        catalog.remove(b"AcroForm");
        catalog.remove(b"Perms");
        let mut stripped = known.revision(&signed);
        stripped.named(known.root, &with_entries(&catalog, &[]));
        let harmless = stripped.finish(style_of(references), known.next());
        let mut forged = known.revision(&harmless);
        let places = [0, harmless.len() - 6];
        forged.rows.extend(
            (1..)
                .zip(places)
                .map(|(more, at)| (known.next() + more, Said::At(at, 0))),
        );
        let forged = forged.finish(style_of(references), known.next() + 9);
        let refused = inspect(forged, &Limits::default()).err();
        assert_eq!(refused, Some(Refused::DamagedAndMaybeSigned));
    }
}

/// Our reader cannot read the newest catalog, and an object stream contains an older one from before the signature.
#[test]
fn an_upload_whose_signature_our_reader_cannot_reach_is_refused() {
    let signed = sealed(References::Stream);
    let known = Known::of(&signed);
    let catalog = with_entries(known.dictionary(known.root), &[]);
    let deep = format!("/Deep {}{}>>", "[".repeat(150), "]".repeat(150));
    let mut forged = known.revision(&signed);
    forged.named(known.root, &[&catalog[..catalog.len() - 2], deep.as_bytes()].concat());
    let refused = inspect(forged.finish(Style::Stream, known.next()), &Limits::default()).err();
    let is_named = |refused: &Refused| {
        matches!(
            refused,
            Refused::SignedAndDamaged { .. } | Refused::BrokenSignature { .. }
        )
    };
    assert!(refused.as_ref().is_some_and(is_named), "{refused:?}");
}

#[test]
fn a_forged_file_is_refused_as_an_upload() {
    for references in [References::Table, References::Stream] {
        let signed = signed_by_others(&unsigned(references), &HOUSE.key);
        let forged = with_old_catalog_brought_back(&signed, references);
        let refused = inspect(forged, &Limits::default()).err();
        let is_named = |refused: &Refused| {
            matches!(refused, Refused::BrokenSignature { fault, .. }
                if matches!(**fault, Fault::ForgedReferences { .. }))
        };
        assert!(refused.as_ref().is_some_and(is_named), "{refused:?}");
    }
}

#[test]
fn white_space_behind_the_end_is_no_change() {
    let with_store = |pdf: &[u8]| {
        let known = Known::of(pdf);
        let mut revision = known.revision(pdf);
        known.dress(&mut revision, None);
        revision.finish(Style::Table, known.next() + 1)
    };
    let signed = sealed(References::Table);
    for pdf in [signed.clone(), with_store(&signed)] {
        for tail in [&b"\n"[..], b"\r\n", b" \t\x0c\0\r\n", &[b'\n'; 900]] {
            let padded = [&pdf, tail].concat();
            let verdict = judge(&padded);
            assert!(verdict.holds_strictly(), "{tail:?}: {verdict:#?}");
        }
        // Programs search the last 1,024 bytes for `startxref`.
        for tail in [&[b'\n'; 1_024][..], &[0; 3_000], b"%\n", b"\x0b", b"\n.", b"\n% \n"] {
            let padded = [&pdf, tail].concat();
            assert!(!judge(&padded).holds(), "{tail:?}");
        }
    }
    // White space may also appear between revisions.
    let padded = [&signed, &b"\n\n"[..]].concat();
    assert!(judge(&with_store(&padded)).holds_strictly());
}

/// A signed form in which a read-only text field shares the drawing of a signature field, and another field displays
/// part of it.
fn with_shared_appearance() -> (Vec<u8>, u32, u32) {
    let mut document = unsigned_document();
    let pages: Vec<_> = document.page_iter().collect();
    let form = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()] };
    let inner = document.add_object(Stream::new(form.clone(), b"0 0 1 1 re f".to_vec()));
    let with_inner = |document: &mut Document| {
        let mut outer = form.clone();
        outer.set("Resources", dictionary! { "XObject" => dictionary! { "I" => inner } });
        document.add_object(Stream::new(outer, b"/I Do".to_vec()))
    };
    let (shared, other) = (with_inner(&mut document), with_inner(&mut document));
    let mut fields: Vec<Object> = Vec::new();
    for (index, (name, kind, look)) in [
        ("Signer", "Sig", shared),
        ("Total", "Tx", shared),
        ("Note", "Tx", other),
    ]
    .into_iter()
    .enumerate()
    {
        let page = pages[index.min(1)];
        let field = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "FT" => kind, "T" => Object::string_literal(name), "F" => 4,
            "Ff" => 1, "P" => page, "Rect" => vec![72.into(), 600.into(), 300.into(), 620.into()],
            "AP" => dictionary! { "N" => look },
        });
        fields.push(field.into());
        let page = document.get_dictionary_mut(page).expect("a page");
        let annotations = page.get(b"Annots").and_then(Object::as_array).cloned();
        let mut annotations = annotations.unwrap_or_default();
        annotations.push(field.into());
        page.set("Annots", annotations);
    }
    let form = document.add_object(dictionary! { "Fields" => fields });
    document.catalog_mut().expect("a catalog").set("AcroForm", form);
    let pdf = file(document, References::Table);
    (signed_by_others(&pdf, &HOUSE.key), shared.0, inner.0)
}

#[test]
fn a_changed_drawing_is_named_under_every_field_that_shows_it() {
    let (signed, shared, inner) = with_shared_appearance();
    let changed = |number: u32| {
        let known = Known::of(&signed);
        let mut revision = known.revision(&signed);
        let form = format!("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length {}>>", EVIL.len());
        revision.named(number, &stream(&form, EVIL));
        let verdict = judge(&signed_by_others(
            &revision.finish(Style::Table, known.next()),
            &HOUSE.key,
        ));
        assert!(verdict.holds(), "{verdict:#?}");
        let mut told: Vec<(String, Option<u32>)> = verdict.signatures[0]
            .later
            .iter()
            .filter(|change| change.how == How::FilledIn && change.object == number)
            .map(|change| (change.field.clone().unwrap_or_default(), change.page))
            .collect();
        told.sort();
        told
    };
    let field = |name: &str, page| (name.to_owned(), Some(page));
    assert_eq!(changed(shared), [field("Signer", 1), field("Total", 2)]);
    assert_eq!(
        changed(inner),
        [field("Note", 2), field("Signer", 1), field("Total", 2)]
    );
}

/// A file certified to allow no changes, with a form set up by `prepare`.
fn certified_form(prepare: impl FnOnce(&mut Document, &mut Dictionary)) -> Vec<u8> {
    let mut document = unsigned_document();
    let look = document.add_object(Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()] },
        b"0 0 1 1 re f".to_vec(),
    ));
    let field = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("Price"), "F" => 4,
        "Rect" => vec![72.into(), 600.into(), 300.into(), 620.into()], "AP" => dictionary! { "N" => look },
    });
    let page = document.page_iter().next().expect("a page");
    let page = document.get_dictionary_mut(page).expect("a page");
    page.set("Annots", vec![Object::Reference(field)]);
    let mut form = dictionary! { "Fields" => vec![Object::Reference(field)] };
    prepare(&mut document, &mut form);
    let form = document.add_object(form);
    document.catalog_mut().expect("a catalog").set("AcroForm", form);
    let reference = dictionary! {
        "Type" => "SigRef", "TransformMethod" => "DocMDP",
        "TransformParams" => dictionary! { "Type" => "TransformParams", "P" => 1, "V" => "1.2" },
    };
    let extra = dictionary! { "Reference" => vec![Object::Dictionary(reference)] };
    sign_with(&file(document, References::Table), &extra, &dictionary! {}, |digest| {
        document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
    })
}

/// Adds validation data and any missing form entries that EU DSS (through `PDFBox`) adds with a timestamp.
fn with_defaults(signed: &[u8], change: impl FnOnce(&mut Dictionary)) -> Vec<u8> {
    let known = Known::of(signed);
    let [helvetica, dingbats] = [1, 2].map(|more| known.next() + more);
    let form = known
        .dictionary(known.root)
        .get(b"AcroForm")
        .and_then(Object::as_reference);
    let form = form.expect("a form").0;
    let mut defaults = known.dictionary(form).clone();
    if !defaults.has(b"DA") {
        defaults.set("DA", Object::string_literal("/Helv 0 Tf 0 g "));
    }
    let mut fonts = defaults
        .get(b"DR")
        .and_then(Object::as_dict)
        .and_then(|resources| resources.get(b"Font"))
        .and_then(Object::as_dict)
        .cloned()
        .unwrap_or_default();
    for (name, font) in [("Helv", helvetica), ("ZaDb", dingbats)] {
        if !fonts.has(name.as_bytes()) {
            fonts.set(name, Object::Reference((font, 0)));
        }
    }
    defaults.set("DR", dictionary! { "Font" => fonts });
    change(&mut defaults);
    let mut revision = known.revision(signed);
    known.dress(&mut revision, None);
    revision.named(form, &with_entries(&defaults, &[]));
    revision.named(
        helvetica,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    );
    revision.named(dingbats, b"<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>");
    revision.finish(Style::Table, dingbats + 1)
}

#[test]
fn defaults_that_come_with_a_timestamp_are_permitted_where_nothing_is_drawn_by_them() {
    let font = || dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" };
    let unused = [
        certified_form(|_, _| {}),
        certified_form(|_, form| form.set("NeedAppearances", false)),
        certified_form(|document, form| {
            let font = document.add_object(font());
            form.set("DR", dictionary! { "Font" => dictionary! { "F9" => font } });
            form.set("DA", Object::string_literal("/F9 9 Tf"));
        }),
    ];
    for signed in &unused {
        assert!(judge(signed).holds_strictly());
        let verdict = judge(&with_defaults(signed, |_| {}));
        assert!(verdict.holds_strictly(), "{verdict:#?}");
        let is_form = |change: &Change| change.part == Part::Form;
        assert!(verdict.signatures[0].later.iter().any(is_form), "{verdict:#?}");
    }

    let refused = |pdf: &[u8]| {
        let verdict = judge(pdf);
        let is_changed = |fault: &&Fault| matches!(fault, Fault::ChangedAfterSigning { .. });
        assert!(faults(&verdict).iter().any(is_changed), "{verdict:#?}");
    };
    // Existing entries must stay unchanged, and only defaults may be added.
    refused(&with_defaults(&unused[2], |form| {
        form.set("DA", Object::string_literal("/Helv 9 Tf"));
    }));
    refused(&with_defaults(&unused[2], |form| {
        let mut other = font();
        other.set("BaseFont", "Symbol");
        form.set("DR", dictionary! { "Font" => dictionary! { "F9" => other } });
    }));
    refused(&with_defaults(&unused[2], |form| form.set("DR", dictionary! {})));
    refused(&with_defaults(&unused[0], |form| form.set("NeedAppearances", true)));
    refused(&with_defaults(&unused[0], |form| {
        form.set("XFA", Object::string_literal("<xdp/>"));
    }));
    // Covers an appearance that uses inherited names, a field without an appearance, and programs that redraw
    // everything.
    let look_of = |document: &Document| {
        let is_look = |object: &Object| object.as_stream().is_ok_and(|stream| stream.dict.has(b"BBox"));
        *document
            .objects
            .iter()
            .find(|(_, object)| is_look(object))
            .expect("the look")
            .0
    };
    for used in [
        certified_form(|document, _| {
            let look = look_of(document);
            let look = document
                .objects
                .get_mut(&look)
                .and_then(|look| look.as_stream_mut().ok());
            look.expect("a look")
                .set_plain_content(b"BT /Helv 9 Tf (1) Tj ET".to_vec());
        }),
        certified_form(|document, form| {
            let field = form.get(b"Fields").and_then(Object::as_array).expect("fields")[0].as_reference();
            let field = document.get_dictionary_mut(field.expect("a field")).expect("a field");
            field.remove(b"AP");
            field.set("V", Object::string_literal("100"));
        }),
        certified_form(|_, form| form.set("NeedAppearances", true)),
    ] {
        assert!(judge(&used).holds_strictly());
        refused(&with_defaults(&used, |_| {}));
    }
}
