//! Anything a file leaves viewers to draw is drawn, removed or refused, so that all signers see the same page.

use std::fmt::Write as _;

use document::intake::{Change, Intake, Limits, Refused, RemovedKind, Warning, inspect};
use lopdf::{Document, Object};

use crate::samples::{HOUSE, signed_by_others};
use crate::viewers::{Marks, Viewer};
use crate::{faults, pages};

const OTHERS: [Viewer; 2] = [Viewer::Poppler, Viewer::Pdfium];
const WORDS: &str = "BT /F1 14 Tf 22 224 Td (The seller pays all taxes) Tj ET";

/// A page of 300 by 300 points with these annotations in PDF syntax, and more objects numbered from 10.
fn page(annotations: &[&str], more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>\
             /XObject<</I 10 0 R>>>>/Annots[{}]>>",
            annotations.join(" ")
        ),
        stream("", WORDS),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>".to_owned(),
        stream("/BBox[0 0 100 40]", "1 0 0 rg 0 0 100 40 re f"),
        stream("/BBox[0 0 0 0]", "1 0 0 rg 0 0 100 40 re f"),
        stream("", "1 0 0 rg 0 0 100 40 re f"),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    file(&objects, "")
}

pub fn stream(entries: &str, content: &str) -> String {
    format!(
        "<</Type/XObject/Subtype/Form{entries}/Length {}>>\nstream\n{content}\nendstream",
        content.len()
    )
}

pub fn file(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut text = "%PDF-1.7\n".to_owned();
    let mut table = String::new();
    for (object, number) in objects.iter().zip(1..) {
        writeln!(table, "{:010} 00000 n ", text.len()).expect("a string");
        writeln!(text, "{number} 0 obj\n{object}\nendobj").expect("a string");
    }
    let start = text.len();
    let size = objects.len() + 1;
    write!(
        text,
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Root 1 0 R/Size {size}{trailer}>>\nstartxref\n{start}\n%%EOF\n"
    )
    .expect("a string");
    text.into_bytes()
}

fn take(pdf: &[u8]) -> Intake {
    inspect(pdf.to_vec(), &Limits::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Returns the same file without annotations and form.
fn bare(pdf: &[u8]) -> Vec<u8> {
    let mut document = Document::load_mem(pdf).expect("readable");
    for page in document.page_iter().collect::<Vec<_>>() {
        document.get_dictionary_mut(page).expect("a page").remove(b"Annots");
    }
    document.catalog_mut().expect("a catalog").remove(b"AcroForm");
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("written");
    bytes
}

/// Checks that the accepted file shows the same marks that the given viewer draws in the upload, and that all viewers
/// then agree.
fn is_seen_as_by(viewer: Viewer, name: &str, upload: &[u8], taken: &[u8], distance: u32) {
    let bare = bare(upload);
    let theirs = Marks::between(&viewer.show(upload), &viewer.show(&bare));
    let ours = Marks::between(&Viewer::Ours.show(taken), &Viewer::Ours.show(&bare));
    assert!(theirs.count() > 0, "{viewer:?} shows nothing in {name}");
    let (found, told) = (theirs.near(&ours, distance), ours.near(&theirs, distance));
    assert!(
        found > 0.98 && told > 0.98,
        "{name}: of {viewer:?}'s marks {found} are ours, of ours {told} theirs"
    );
    let later = Marks::between(&viewer.show(taken), &viewer.show(&bare));
    let (found, told) = (later.near(&ours, 2), ours.near(&later, 2));
    assert!(
        found > 0.98 && told > 0.98,
        "{name} as taken: of {viewer:?}'s marks {found} are ours, of ours {told} theirs"
    );
}

#[test]
fn annotations_of_others_are_seen_as_poppler_and_pdfium_show_them() {
    let Some(folder) = faults::folder() else { return };
    for name in [
        "an_Circle.pdf",
        "an_FreeText.pdf",
        "an_Highlight.pdf",
        "an_Polygon.pdf",
        "an_Square.pdf",
        "an_StrikeOut.pdf",
        "an_freetext.pdf",
        "an_ink.pdf",
        "an_strikeout.pdf",
    ] {
        let upload = faults::read(&folder, name);
        let taken = take(&upload);
        assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }], "{name}");
        assert_eq!(taken.warnings, [], "{name}");
        for viewer in OTHERS {
            // PDFium draws no polygons.
            if viewer == Viewer::Poppler || name != "an_Polygon.pdf" {
                // Poppler puts the text of a box at its top, PDFium in its middle.
                let distance = if name.to_ascii_lowercase().contains("freetext") {
                    16
                } else {
                    2
                };
                is_seen_as_by(viewer, name, &upload, &taken.pdf, distance);
            }
        }
    }
}

#[test]
fn a_page_of_others_with_many_annotations_has_them_drawn_and_its_note_reported() {
    let Some(folder) = faults::folder() else { return };
    let taken = take(&faults::read(&folder, "annots.pdf"));
    // The borders of a link, a square and a text box are drawn. A text box, a stamp and a highlight have appearances.
    assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 3 }]);
    assert_eq!(
        taken.warnings,
        [Warning::NotesRemoved {
            count: 1,
            notes: vec!["“A remark”".to_owned()]
        }]
    );
    let bare = bare(&taken.pdf);
    let ours = Marks::between(&Viewer::Ours.show(&taken.pdf), &Viewer::Ours.show(&bare));
    for viewer in OTHERS {
        let theirs = Marks::between(&viewer.show(&taken.pdf), &viewer.show(&bare));
        let (found, told) = (theirs.near(&ours, 3), ours.near(&theirs, 3));
        assert!(found > 0.98 && told > 0.98, "{viewer:?}: {found}, {told}");
    }
    assert!(!String::from_utf8_lossy(&taken.pdf).contains("A remark"));
}

#[test]
fn what_prints_and_does_not_show_is_refused_or_made_one() {
    let Some(folder) = faults::folder() else { return };
    for name in ["an_noview_print.pdf", "h_noview_print.pdf"] {
        let refused = inspect(faults::read(&folder, name), &Limits::default()).err();
        let stamp = Refused::AnnotationPrintsUnseen {
            page: 1,
            kind: "Stamp".to_owned(),
        };
        assert_eq!(refused, Some(stamp), "{name}");
    }
    let taken = take(&faults::read(&folder, "h_Alternates.pdf"));
    assert_eq!(taken.changes, [Change::PrintAlternatesRemoved { count: 1 }]);
    assert!(!String::from_utf8_lossy(&taken.pdf).contains("Alternates"));
}

#[test]
fn a_filter_that_nobody_here_undoes_is_refused_by_name() {
    let Some(folder) = faults::folder() else { return };
    let refused = inspect(faults::read(&folder, "B_unknown_filter.pdf"), &Limits::default()).err();
    let filter = |filter: &str| {
        Some(Refused::UnreadableContent {
            page: 1,
            filter: filter.to_owned(),
        })
    };
    assert_eq!(refused, filter("DCTDecode"));
    for of in [
        "<</Type/XObject/Subtype/Image/Width 1/Height 1/Filter/Xyz/Length 1>>\nstream\nx\nendstream",
        "<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Filter[/FlateDecode/Xyz]/Length 1>>\nstream\nx\nendstream",
    ] {
        let refused = inspect(page(&[], &[of]), &Limits::default()).err();
        assert_eq!(refused, filter("Xyz"), "{of}");
    }
}

#[test]
fn forms_of_others_without_looks_are_seen_as_others_show_them() {
    let Some(folder) = faults::folder() else { return };
    let upload = faults::read(&folder, "C_checked_box_lost.pdf");
    let taken = take(&upload);
    assert!(
        taken.changes.contains(&Change::AppearancesMade { count: 1 }),
        "{:?}",
        taken.changes
    );
    let ours = Marks::between(&Viewer::Ours.show(&taken.pdf), &Viewer::Ours.show(&bare(&upload)));
    assert!(ours.count() > 20, "no tick: {}", ours.count());
    let taken = take(&faults::read(&folder, "form_letter_need.pdf"));
    assert!(pages::text(&taken.pdf).contains("EUR 1,900"));
    // The file leaves drawing its values to viewers, and it is signed.
    let refused = inspect(faults::read(&folder, "s_form_text_need.pdf"), &Limits::default()).err();
    assert_eq!(
        refused,
        Some(Refused::SignedWithUnseen {
            page: 1,
            kind: "Widget".to_owned()
        })
    );
}

/// An empty field has no value to draw, but it has a background and a border. A button that is off may have an empty
/// appearance.
#[test]
fn the_box_of_an_empty_field_is_seen_as_others_show_it() {
    for (name, kind) in [
        ("a text", "/FT/Tx/DA(/Helv 10 Tf 0 g)"),
        ("a button", "/FT/Btn/AS/Off/AP<</N<</Off/Off/Yes 6 0 R>>>>"),
    ] {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]/NeedAppearances true>>>>".to_owned(),
            "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Annots[5 0 R]>>".to_owned(),
            stream("", "0 g 100 100 50 50 re f"),
            format!(
                "<</Type/Annot/Subtype/Widget/T(f)/F 4/P 3 0 R/Rect[20 20 60 60]/MK<</BC[1 0 0]/BG[0.5 0.7 1]>>/BS<</W 3/S/S>>{kind}>>"
            ),
            stream("/BBox[0 0 40 40]", "0 g 10 10 20 20 re f"),
        ];
        let upload = file(&objects, "");
        let taken = take(&upload);
        assert!(
            taken.changes.contains(&Change::FormFlattened { count: 1 }),
            "{name}: {:?}",
            taken.changes
        );
        for viewer in OTHERS {
            is_seen_as_by(viewer, name, &upload, &taken.pdf, 2);
        }
    }
}

/// Annotations that both viewers draw, or only Poppler.
const DRAWN: [(&str, bool); 20] = [
    (
        "/Highlight/C[1 1 0]/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
        true,
    ),
    (
        "/Underline/C[0 0.5 0]/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
        true,
    ),
    (
        "/Squiggly/C[1 0 0]/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
        true,
    ),
    (
        "/StrikeOut/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
        true,
    ),
    (
        "/StrikeOut/C[1 0 0]/QuadPoints[20 220 200 220 20 240 200 240]/Rect[20 220 200 240]",
        true,
    ),
    ("/Square/C[1 0 0]/IC[.5 1 .5]/BS<</W 3>>/Rect[20 100 100 150]", true),
    (
        "/Square/C[0 0 1]/BS<</W 2/S/D/D[6 3]>>/CA .5/Rect[20 100 100 150]",
        true,
    ),
    ("/Square/Rect[20 100 100 150]", true),
    ("/Circle/C[1 0 0]/IC[.5 1 .5]/BS<</W 3>>/Rect[20 100 100 150]", true),
    ("/Circle/C[0 0 1]/Border[0 0 4[6 3]]/Rect[20 100 100 150]", true),
    (
        "/Ink/C[0 0 0]/BS<</W 3>>/InkList[[30 130 80 150 150 130][160 130 200 150]]/Rect[20 120 210 155]",
        true,
    ),
    (
        "/FreeText/Contents(Void)/DA(1 0 0 rg /Helv 14 Tf)/C[1 1 .8]/BS<</W 2>>/Rect[20 100 120 130]",
        true,
    ),
    (
        "/Line/C[1 0 0]/IC[0 1 0]/L[30 120 180 120]/LE[/OpenArrow/ClosedArrow]/BS<</W 2>>/Rect[20 110 200 130]",
        false,
    ),
    (
        "/Line/C[1 0 0]/IC[0 1 0]/L[30 120 180 90]/LE[/Square/Circle]/BS<</W 2>>/Rect[20 80 200 130]",
        false,
    ),
    (
        "/Line/C[1 0 0]/IC[0 1 0]/L[30 120 180 120]/LE[/Diamond/Butt]/BS<</W 2>>/Rect[20 110 200 130]",
        false,
    ),
    (
        "/Line/C[1 0 0]/L[60 120 180 120]/LE[/ROpenArrow/Slash]/BS<</W 2>>/Rect[20 100 200 140]",
        false,
    ),
    (
        "/Line/C[1 0 0]/L[30 120 180 120]/LL 10/LLE 5/Rect[20 110 200 150]",
        false,
    ),
    (
        "/Polygon/C[1 0 0]/IC[1 1 0]/Vertices[30 120 100 150 130 125]/Rect[20 110 140 155]",
        false,
    ),
    (
        "/PolyLine/C[1 0 0]/Vertices[30 120 80 150 110 125]/LE[/None/ClosedArrow]/Rect[20 110 140 155]",
        false,
    ),
    ("/Link/Border[0 0 2]/C[0 0 1]/Rect[20 100 100 120]", false),
];

#[test]
fn every_kind_that_viewers_draw_is_drawn_as_they_do() {
    for (entries, by_both) in DRAWN {
        let upload = page(&[&format!("<</Type/Annot/F 4/Subtype{entries}>>")], &[]);
        let taken = take(&upload);
        assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }], "{entries}");
        let distance = if entries.starts_with("/FreeText") { 12 } else { 2 };
        is_seen_as_by(Viewer::Poppler, entries, &upload, &taken.pdf, distance);
        if by_both {
            is_seen_as_by(Viewer::Pdfium, entries, &upload, &taken.pdf, distance);
        }
    }
}

#[test]
fn text_boxes_stamps_and_carets_are_drawn_with_our_fonts() {
    for (entries, words) in [
        (
            "/FreeText/Contents<FEFFACC4C57DC11C>/DA(/Helv 12 Tf 0 g)/Rect[20 100 120 130]",
            "계약서",
        ),
        (
            "/FreeText/RC(<body><p>Rich &amp; <b>bold</b></p></body>)/Rect[20 100 120 130]",
            "Rich & bold",
        ),
        (
            "/FreeText/Contents(Same)/RC(<body><p>Same</p></body>)/Q 2/Rect[20 100 120 130]",
            "Same",
        ),
        (
            "/FreeText/IT/FreeTextCallout/CL[150 90 130 110 120 110]/LE/OpenArrow/Contents(Here)/RD[0 0 40 20]/Rect[20 80 160 140]",
            "Here",
        ),
        ("/Stamp/Name/TopSecret/C[1 0 0]/Rect[20 100 150 140]", "TOP SECRET"),
        ("/Stamp/Rect[20 100 150 140]", "DRAFT"),
        (
            "/Line/C[1 0 0]/L[30 120 180 120]/LL 10/Cap true/Contents(12 m)/Rect[20 110 200 150]",
            "12 m",
        ),
    ] {
        let taken = take(&page(&[&format!("<</Type/Annot/F 4/Subtype{entries}>>")], &[]));
        assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }], "{entries}");
        assert_eq!(taken.warnings, [], "{entries}");
        let text = pages::text(&taken.pdf);
        assert!(text.contains(words), "{entries}: {text}");
    }
    let taken = take(&page(
        &["<</Type/Annot/F 4/Subtype/Caret/C[0 0 1]/Rect[20 200 40 220]>>"],
        &[],
    ));
    assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }]);
}

#[test]
fn a_text_box_that_says_two_things_and_a_stamp_of_unknown_name_are_refused() {
    for (entries, kind) in [
        (
            "/FreeText/Contents(100)/RC(<p>900</p>)/Rect[20 100 120 130]",
            "FreeText",
        ),
        ("/FreeText/Contents<FEFFE000>/Rect[20 100 120 130]", "FreeText"),
        ("/FreeText/Contents<FEFF0061202E0062>/Rect[20 100 120 130]", "FreeText"),
        ("/Stamp/Name/OursOnly/Rect[20 100 120 130]", "Stamp"),
        (
            "/Redact/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
            "Redact",
        ),
        ("/Redact/AP<</N 7 0 R>>/Rect[20 220 200 240]", "Redact"),
        ("/Projection/Rect[20 220 200 240]", "Projection"),
    ] {
        let refused = inspect(
            page(&[&format!("<</Type/Annot/F 4/Subtype{entries}>>")], &[]),
            &Limits::default(),
        );
        let named = Refused::AnnotationNotDrawn {
            page: 1,
            kind: kind.to_owned(),
        };
        assert_eq!(refused.err(), Some(named), "{entries}");
    }
}

#[test]
fn what_only_programs_play_or_hide_is_removed_and_reported() {
    for (entries, kind) in [
        (
            "/Popup/Contents(secret)/Open true/Rect[20 20 90 90]",
            RemovedKind::Popup,
        ),
        ("/Sound/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Sound),
        ("/Movie/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Movie),
        ("/Screen/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Screen),
        ("/3D/Contents(secret)/Rect[20 20 90 90]", RemovedKind::ThreeD),
        ("/RichMedia/Contents(secret)/Rect[20 20 90 90]", RemovedKind::RichMedia),
        (
            "/PrinterMark/Contents(secret)/Rect[20 20 90 90]",
            RemovedKind::PrinterMark,
        ),
        ("/TrapNet/Contents(secret)/Rect[20 20 90 90]", RemovedKind::TrapNet),
        ("/Watermark/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Watermark),
        ("/Square/F 2/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Hidden),
        (
            "/Stamp/F 34/AP<</N 7 0 R>>/Contents(secret)/Rect[20 20 90 90]",
            RemovedKind::Hidden,
        ),
        ("/Ink/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Empty),
        ("/StrikeOut/Contents(secret)/Rect[20 20 90 90]", RemovedKind::Empty),
    ] {
        let flags = if entries.contains("/F ") { "" } else { "/F 4" };
        let upload = page(&[&format!("<</Type/Annot{flags}/Subtype{entries}>>")], &[]);
        let taken = take(&upload);
        assert_eq!(
            taken.changes,
            [Change::AnnotationsRemoved { kind, count: 1 }],
            "{entries}"
        );
        assert!(!String::from_utf8_lossy(&taken.pdf).contains("secret"), "{entries}");
        let marks = Marks::between(&Viewer::Ours.show(&taken.pdf), &Viewer::Ours.show(&bare(&upload)));
        assert_eq!(marks.count(), 0, "{entries}");
    }
}

#[test]
fn notes_and_attachments_are_removed_and_their_words_are_reported() {
    let long = "long ".repeat(100);
    let taken = take(&page(
        &[
            "<</Type/Annot/F 4/Subtype/Text/Contents(A \\(short\\) remark)/AP<</N 7 0 R>>/Rect[20 20 40 40]>>",
            &format!("<</Type/Annot/F 4/Subtype/Text/Contents({long})/Rect[20 20 40 40]>>"),
            "<</Type/Annot/F 4/Subtype/Square/Contents(On a square)/AP<</N 7 0 R>>/Rect[20 60 120 100]>>",
            "<</Type/Annot/F 4/Subtype/FileAttachment/FS<</Type/Filespec/F(a.xls)/UF(b.xls)>>/Contents(Figures)/Rect[20 20 40 40]>>",
        ],
        &[],
    ));
    assert_eq!(taken.changes, []);
    let [
        Warning::NotesRemoved { count: 3, notes },
        Warning::AttachmentsRemoved { count: 1, files },
    ] = &taken.warnings[..]
    else {
        panic!("{:?}", taken.warnings);
    };
    assert_eq!((&*notes[0], &*notes[2]), ("“A (short) remark”", "“On a square”"));
    assert!(
        notes[1].chars().count() < 210 && notes[1].ends_with("…”"),
        "{}",
        notes[1]
    );
    assert_eq!(files[..], ["“b.xls: Figures”"]);
    let text = String::from_utf8_lossy(&taken.pdf);
    assert!(!text.contains("remark") && !text.contains("On a square") && !text.contains("b.xls"));
}

#[test]
fn what_shows_only_on_the_screen_is_printed_and_looks_for_other_moments_are_gone() {
    let upload = page(
        &["<</Type/Annot/Subtype/Stamp/F 24/AP<</N 7 0 R/R 8 0 R/D 9 0 R>>/Rect[20 60 120 100]>>"],
        &[],
    );
    let taken = take(&upload);
    assert_eq!(taken.changes, [Change::ScreenOnlyPrinted { count: 1 }]);
    let document = Document::load_mem(&taken.pdf).expect("readable");
    let stamp = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok())
        .find(|dictionary| dictionary.has(b"Rect"))
        .or_else(|| {
            let page = document.page_iter().next()?;
            let page = document.get_dictionary(page).ok()?;
            page.get(b"Annots")
                .and_then(Object::as_array)
                .ok()?
                .first()?
                .as_dict()
                .ok()
        })
        .expect("the stamp");
    assert_eq!(stamp.get(b"F").and_then(Object::as_i64).ok(), Some(4));
    let looks = stamp.get(b"AP").and_then(Object::as_dict).expect("its looks");
    assert_eq!(looks.iter().map(|(key, _)| key.as_slice()).collect::<Vec<_>>(), [b"N"]);
}

#[test]
fn a_broken_look_counts_as_none() {
    for (look, is_drawn) in [
        ("7 0 R", false),
        ("8 0 R", true),
        ("77 0 R", true),
        ("<</Yes 7 0 R>>", true),
        ("null", true),
    ] {
        let square = format!("<</Type/Annot/Subtype/Square/F 4/AP<</N {look}>>/Rect[20 60 120 100]>>");
        let taken = take(&page(&[&square], &[]));
        let drawn: &[Change] = if is_drawn {
            &[Change::AnnotationsDrawn { count: 1 }]
        } else {
            &[]
        };
        assert_eq!(taken.changes, drawn, "{look}");
    }
    // Some viewers draw an appearance without a box from the corner of the rectangle.
    let upload = page(
        &["<</Type/Annot/Subtype/Stamp/F 4/AP<</N 9 0 R>>/Rect[20 60 120 100]>>"],
        &[],
    );
    is_seen_as_by(Viewer::Pdfium, "a look without a box", &upload, &take(&upload).pdf, 2);
}

/// A form with these widgets, given by their entries.
fn form(widgets: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..widgets.len()).map(|place| format!("{} 0 R", place + 10)).collect();
    let kids = kids.join(" ");
    let mut objects = vec![
        format!(
            "<</Type/Catalog/Pages 2 0 R/AcroForm<</DA(/Helv 0 Tf 0 g)/DR<</Font<</Helv 5 0 R/ZaDb 6 0 R>>>>/Fields[{kids}]>>>>"
        ),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[{kids}]>>"
        ),
        stream("", WORDS),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>".to_owned(),
        stream("/BBox[0 0 20 20]", "0 0 1 rg 0 0 20 20 re f"),
        stream("/BBox[0 0 20 20]", "q Q"),
        stream("", "0 0 1 rg 0 0 20 20 re f"),
    ];
    for (widget, number) in widgets.iter().zip(1..) {
        objects.push(format!("<</Type/Annot/Subtype/Widget/F 4/T(w{number}){widget}>>"));
    }
    file(&objects, "")
}

#[test]
fn widgets_without_looks_are_seen_as_viewers_show_them() {
    for widget in [
        "/FT/Ch/Opt[(one)(two)(three)(four)]/V(two)/I[1]/DA(/Helv 10 Tf 0 0 1 rg)/MK<</BC[1 0 0]/BG[1 1 .8]>>/Rect[20 100 120 150]",
        "/FT/Btn/AS/Yes/V/Yes/DA(/ZaDb 0 Tf 0 g)/MK<</BC[0 0 0]/CA(4)>>/Rect[130 130 150 150]",
        "/FT/Btn/AS/Yes/V/Yes/DA(/ZaDb 0 Tf 0 g)/MK<</CA(8)>>/Rect[130 130 150 150]",
        "/FT/Btn/Ff 32768/AS/Yes/V/Yes/DA(/ZaDb 0 Tf 0 g)/MK<</CA(l)>>/Rect[130 130 150 150]",
        "/FT/Btn/Ff 65536/DA(/Helv 10 Tf 0 g)/MK<</BC[0 0 0]/BG[.8 .8 .8]/CA(Send it)>>/BS<</W 1>>/Rect[20 120 90 150]",
        "/FT/Btn/AS/Yes/V/Yes/AP<</N<</Yes 9 0 R/Off 8 0 R>>>>/Rect[130 130 150 150]",
    ] {
        let upload = form(&[widget]);
        let taken = take(&upload);
        assert!(
            taken.changes.contains(&Change::AppearancesMade { count: 1 }),
            "{widget}: {:?}",
            taken.changes
        );
        assert_eq!(taken.warnings, [], "{widget}");
        is_seen_as_by(Viewer::Pdfium, widget, &upload, &taken.pdf, 6);
    }
}

#[test]
fn a_button_with_a_picture_and_no_look_is_refused() {
    let refused = inspect(
        form(&["/FT/Btn/Ff 65536/MK<</I 7 0 R>>/Rect[20 120 90 150]"]),
        &Limits::default(),
    );
    let named = Refused::AnnotationNotDrawn {
        page: 1,
        kind: "Widget".to_owned(),
    };
    assert_eq!(refused.err(), Some(named));
}

#[test]
fn signed_files_with_something_unseen_are_refused_by_name() {
    for (annotation, kind) in [
        (
            "/StrikeOut/QuadPoints[20 240 200 240 20 220 200 220]/Rect[20 220 200 240]",
            Some("StrikeOut"),
        ),
        (
            "/Text/Contents(A remark)/AP<</N 7 0 R>>/Rect[20 20 40 40]",
            Some("Text"),
        ),
        ("/Stamp/AP<</N 7 0 R>>/Rect[20 20 120 60]", None),
        ("/Stamp/F 36/AP<</N 7 0 R>>/Rect[20 20 120 60]", Some("Stamp")),
        ("/Link/Border[0 0 1]/Rect[20 20 120 60]", None),
        ("/Square/F 2/Rect[20 20 120 60]", None),
    ] {
        let flags = if annotation.contains("/F ") { "" } else { "/F 4" };
        let upload = page(&[&format!("<</Type/Annot{flags}/Subtype{annotation}>>")], &[]);
        let refused = inspect(signed_by_others(&upload, &HOUSE.key), &Limits::default()).err();
        let named = kind.map(|kind| Refused::SignedWithUnseen {
            page: 1,
            kind: kind.to_owned(),
        });
        assert_eq!(refused, named, "{annotation}");
    }
}
