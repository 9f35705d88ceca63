//! Form fields, their values, and how they become part of pages.

use super::*;

#[test]
fn xfa_is_removed_and_its_fields_stay() {
    let pdf = with_catalog(|document, catalog| {
        let xfa = document.add_object(Stream::new(Dictionary::new(), b"<xdp:xdp/>".to_vec()));
        let field = document.add_object(dictionary! { "FT" => "Tx", "T" => Object::string_literal("name") });
        let form = document.add_object(dictionary! { "Fields" => vec![field.into()], "XFA" => xfa });
        catalog.set("AcroForm", form);
    });
    assert_eq!(changed(&pdf), [Change::XfaRemoved]);
    let taken = take(&pdf).expect("taken").pdf;
    assert!(!contains(&taken, b"XFA"));
}

#[test]
fn a_dynamic_xfa_form_is_refused() {
    let pdf = with_catalog(|_, catalog| catalog.set("NeedsRendering", true));
    assert_eq!(take(&pdf).err(), Some(Refused::DynamicXfa));
}

/// A form as written by an office suite: `(name, field, rectangle)`, some with an appearance.
pub fn form_of(fields: Vec<(Dictionary, [i64; 4])>) -> Vec<u8> {
    document_of(PageForm::PLAIN, |document, page| add_form(document, page, fields))
}

pub fn add_form(document: &mut Document, page: &mut Dictionary, fields: Vec<(Dictionary, [i64; 4])>) {
    let mut widgets = Vec::new();
    for (mut field, rectangle) in fields {
        field.set("Type", "Annot");
        field.set("Subtype", "Widget");
        field.set("F", 4);
        field.set("Rect", rectangle.map(Object::from).to_vec());
        widgets.push(Object::from(document.add_object(field)));
    }
    page.set("Annots", widgets.clone());
    let catalog = document.add_object(dictionary! {
        "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => widgets },
    });
    document.trailer.set("Root", catalog);
}

pub fn named(name: &str, kind: &str) -> Dictionary {
    dictionary! { "T" => Object::string_literal(name), "FT" => kind }
}

fn with(mut field: Dictionary, entries: &Dictionary) -> Dictionary {
    field.extend(entries);
    field
}

fn text_field(name: &str, value: &str) -> Dictionary {
    with(named(name, "Tx"), &dictionary! { "V" => Object::string_literal(value) })
}

fn square(document: &mut Document, colour: &str) -> Object {
    document
        .add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 10.into(), 10.into()],
            },
            format!("{colour} rg 0 0 10 10 re f").into_bytes(),
        ))
        .into()
}

#[test]
fn all_fields_of_a_form_are_found_with_kind_options_limits_and_defaults() {
    let states = |on: &str| dictionary! { "N" => dictionary! { on => Dictionary::new() } };
    let options = vec![
        Object::Array(vec![Object::string_literal("kr"), Object::string_literal("Korea")]),
        Object::string_literal("Japan"),
    ];
    let pdf = form_of(vec![
        (
            with(
                text_field("name", "Kim"),
                &dictionary! { "Ff" => 2, "MaxLen" => 40, "DA" => Object::string_literal("/Helv 11 Tf 0 g"), "Q" => 1 },
            ),
            [50, 250, 200, 270],
        ),
        (
            with(named("notes", "Tx"), &dictionary! { "Ff" => 1 << 12 }),
            [50, 200, 200, 240],
        ),
        (
            with(named("code", "Tx"), &dictionary! { "Ff" => 1 << 24, "MaxLen" => 6 }),
            [50, 170, 200, 190],
        ),
        (
            with(
                named("agree", "Btn"),
                &dictionary! { "AP" => states("Yes"), "AS" => "Yes", "V" => "Yes" },
            ),
            [50, 150, 60, 160],
        ),
        (
            with(
                named("plan", "Btn"),
                &dictionary! { "Ff" => 1 << 15, "AP" => states("A"), "AS" => "Off" },
            ),
            [50, 130, 60, 140],
        ),
        (
            with(
                named("plan", "Btn"),
                &dictionary! { "Ff" => 1 << 15, "AP" => states("B"), "AS" => "B" },
            ),
            [70, 130, 80, 140],
        ),
        (
            with(
                named("land", "Ch"),
                &dictionary! { "Opt" => options, "V" => Object::string_literal("kr") },
            ),
            [50, 100, 200, 120],
        ),
        (named("sign", "Sig"), [50, 60, 200, 90]),
        (
            with(named("reset", "Btn"), &dictionary! { "Ff" => 1 << 16 }),
            [50, 30, 90, 40],
        ),
    ]);
    let taken = take(&pdf).expect("taken");
    let found: Vec<(&str, &str, Option<&str>)> = taken
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.kind.code(), field.default.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("name", "text", Some("Kim")),
            ("notes", "text", None),
            ("code", "text", None),
            ("agree", "check", Some("Y")),
            ("plan", "radio", None),
            ("plan", "radio", Some("B")),
            ("land", "select", Some("Korea")),
            ("sign", "signature", None),
        ]
    );
    let field = |index: usize| &taken.fields[index];
    assert_eq!(
        (
            field(0).required,
            field(0).max_length,
            field(0).font_size,
            field(0).alignment
        ),
        (true, Some(40), FontSize::from_points(11.0), Alignment::Center)
    );
    assert_eq!((field(1).lines, field(0).lines), (Some(Lines::Many), Some(Lines::One)));
    assert_eq!((field(2).cells, field(2).lines), (Some(6), None));
    assert_eq!(
        (field(4).option.as_deref(), field(5).option.as_deref()),
        (Some("A"), Some("B"))
    );
    assert_eq!(field(6).options, ["Korea", "Japan"]);
}

#[test]
fn a_form_becomes_part_of_its_pages_as_it_looks_and_nothing_can_be_filled_in_any_more() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let shown = square(document, "1 0 0");
        let field = document.add_object(with(
            text_field("name", "Kim"),
            &dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => shown },
                "Rect" => vec![100.into(), 100.into(), 150.into(), 120.into()],
            },
        ));
        page.set("Annots", vec![field.into()]);
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![field.into()] },
        });
        document.trailer.set("Root", catalog);
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::FormFlattened { count: 1 }]);
    assert!(!contains(&taken.pdf, b"/AcroForm") && !contains(&taken.pdf, b"/Widget"));
    assert!(crate::pages::poppler(&taken.pdf, 100) == crate::pages::poppler(&pdf, 100));
    let template = into_template(&pdf);
    let red = crate::pages::bounds(
        &crate::pages::poppler(&template.pdf, 72),
        &template.pages[0],
        [255, 0, 0],
    );
    assert!(red.is_none(), "the value is a default now, and not on the page");
    assert_eq!(template.fields[0].default.as_deref(), Some("Kim"));
}

/// One form in eight leaves drawing its values to the viewer.
#[test]
fn values_without_an_appearance_are_drawn() {
    let pdf = form_of(vec![(text_field("name", "Kim Minjun"), [50, 250, 200, 270])]);
    assert!(!text(&take(&samples::unsigned(References::Table)).expect("taken").pdf).contains("Minjun"));
    let taken = take(&pdf).expect("taken");
    assert_eq!(
        taken.changes,
        [Change::FormFlattened { count: 1 }, Change::AppearancesMade { count: 1 }]
    );
    assert!(text(&taken.pdf).contains("Kim Minjun"), "{}", text(&taken.pdf));
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
}

/// For every kind of field and every place where its value may be stored, the value appears on the page or in the
/// report.
#[test]
fn no_value_of_a_form_is_lost_in_silence() {
    let string = |text: &str| Object::string_literal(text);
    let place = [50, 200, 200, 220];
    let ink = |pdf: &[u8]| {
        let picture = crate::pages::ours(pdf, 72.0);
        let dark = |(x, y, pixel): &(u32, u32, &image::Rgb<u8>)| {
            (45..205).contains(x) && (75..105).contains(y) && pixel.0.iter().all(|part| *part < 128)
        };
        picture.enumerate_pixels().filter(dark).count()
    };
    let on = || dictionary! { "V" => "Yes", "AS" => "Yes" };
    let options = || dictionary! { "Opt" => vec![string("Apples"), string("Plums"), string("Pears")] };
    for field in [
        with(named("check", "Btn"), &on()),
        with(with(named("radio", "Btn"), &on()), &dictionary! { "Ff" => 1 << 15 }),
        with(
            named("push", "Btn"),
            &dictionary! { "Ff" => 1 << 16, "MK" => dictionary! { "CA" => string("Press") } },
        ),
        text_field("long", &"very long value ".repeat(40)),
        with(
            text_field("many", &"line\r".repeat(40)),
            &dictionary! { "Ff" => 1 << 12 },
        ),
        with(
            text_field("cells", "abcdef"),
            &dictionary! { "Ff" => 1 << 24, "MaxLen" => 3 },
        ),
        with(named("list", "Ch"), &options()),
        with(
            with(text_field("combo", "Plums"), &options()),
            &dictionary! { "FT" => "Ch", "Ff" => 1 << 17 },
        ),
    ] {
        let taken =
            take(&form_of(vec![(field.clone(), place)])).unwrap_or_else(|refused| panic!("{field:?}: {refused}"));
        assert!(
            taken.changes.contains(&Change::AppearancesMade { count: 1 }),
            "{field:?}"
        );
        assert!(ink(&taken.pdf) > 10, "{field:?}");
    }
    assert_eq!(
        ink(&take(&form_of(vec![(named("empty", "Tx"), place)])).expect("taken").pdf),
        0
    );
    let list = with(named("list", "Ch"), &options());
    let list = with(list, &dictionary! { "V" => vec![string("Pears")] });
    let words = text(&take(&form_of(vec![(list, [50, 100, 200, 220])])).expect("taken").pdf);
    assert!(words.contains("Apples Plums Pears"), "{words}");
    let secret = with(text_field("secret", "hunter"), &dictionary! { "Ff" => 1 << 13 });
    assert!(text(&take(&form_of(vec![(secret, place)])).expect("taken").pdf).contains("******"));
    // Tibetan, which our fonts do not cover, and text reversed by a control character.
    for value in [
        &[0xFE, 0xFF, 0x0F, 0x40][..],
        &[0xFE, 0xFF, 0x20, 0x2E, 0, 0x61, 0, 0x62],
    ] {
        let value = Object::String(value.to_vec(), StringFormat::Hexadecimal);
        let field = with(named("odd", "Tx"), &dictionary! { "V" => value });
        assert_eq!(
            take(&form_of(vec![(field, place)])),
            Err(Refused::FormValueNotDrawn {
                field: "odd".to_owned()
            })
        );
    }
}

fn into_template(pdf: &[u8]) -> document::intake::Intake {
    let wishes = Wishes {
        form: FormValues::Taken,
        ..Wishes::default()
    };
    document::intake::inspect_as(pdf, &Limits::default(), &wishes).expect("taken")
}

/// Third-party forms have boxes of all sizes. None of them causes a refusal.
#[test]
fn fields_of_a_form_that_are_too_small_are_enlarged_or_left_out_by_name() {
    let box_of = |width: i64, height: i64| [50, 200, 50 + width, 200 + height];
    let cells = dictionary! { "Ff" => 1 << 24, "MaxLen" => 40 };
    let taken = into_template(&form_of(vec![
        (named("low", "Tx"), box_of(100, 5)),
        (named("narrow", "Tx"), box_of(4, 20)),
        (with(named("cells", "Tx"), &cells), box_of(100, 20)),
        (named("mark", "Btn"), box_of(3, 3)),
        (named("sign", "Sig"), box_of(60, 8)),
        (text_field("technical", "state"), box_of(100, 1)),
        (named("dot", "Sig"), box_of(1, 1)),
        (named("good", "Tx"), box_of(100, 20)),
    ]));
    let names: Vec<&str> = taken.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["low", "narrow", "cells", "mark", "sign", "good"]);
    for field in &taken.fields {
        assert!(!field.is_too_small(&taken.pages[0]), "{field:?}");
        assert!(field.placement.is_on_page(), "{field:?}");
    }
    assert_eq!(
        taken.fields[2].cells, None,
        "cells stay where the page shows them, or are none"
    );
    assert!(
        taken.changes.contains(&Change::FormFieldsEnlarged { count: 5 }),
        "{:?}",
        taken.changes
    );
    let fields = vec!["technical".to_owned(), "dot".to_owned()];
    assert_eq!(taken.warnings, [Warning::FormFieldsTooSmall { fields }]);
}

/// A value that cannot become a default stays on the page as drawn.
#[test]
fn a_value_that_no_field_can_have_stays_on_the_page_by_name() {
    let string = |text: &str| Object::string_literal(text);
    let several = dictionary! {
        "Opt" => vec![string("Apples"), string("Plums"), string("Pears")], "V" => vec![string("Plums"), string("Pears")],
    };
    let other = dictionary! { "Ff" => 1 << 17, "Opt" => vec![string("Apples")], "V" => string("Quinces") };
    for (field, shown) in [
        (with(named("several", "Ch"), &several), "Plums Pears"),
        (with(named("other", "Ch"), &other), "Quinces"),
        (
            with(text_field("long", "abcdef"), &dictionary! { "MaxLen" => 3 }),
            "abcdef",
        ),
        (
            with(text_field("secret", "hunter"), &dictionary! { "Ff" => 1 << 13 }),
            "******",
        ),
        (
            with(text_field("file", "contract.doc"), &dictionary! { "Ff" => 1 << 20 }),
            "contract.doc",
        ),
    ] {
        let taken = into_template(&form_of(vec![
            (field.clone(), [50, 100, 200, 200]),
            (text_field("name", "Kim"), [50, 40, 200, 60]),
        ]));
        let name = taken.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>();
        assert_eq!(name, ["name"], "{field:?}");
        let words = text(&taken.pdf);
        assert!(words.contains(shown) && !words.contains("Kim"), "{field:?}: {words}");
        let kept = field.get(b"T").and_then(Object::as_str).expect("a name");
        let fields = vec![String::from_utf8_lossy(kept).into_owned()];
        assert_eq!(taken.warnings, [Warning::FormValuesKept { fields }], "{field:?}");
    }
    // An option with a trailing space is the same option.
    let blank = dictionary! { "Ff" => 1 << 17, "Opt" => vec![string("Apples ")], "V" => string("Apples ") };
    let taken = into_template(&form_of(vec![(
        with(named("blank", "Ch"), &blank),
        [50, 100, 200, 120],
    )]));
    assert_eq!(taken.fields[0].default.as_deref(), Some("Apples"));
}

/// Viewers show the appearance, which is empty.
#[test]
fn a_value_beside_an_empty_look_is_named() {
    let looking = |field: Dictionary, content: &'static str| {
        document_of(PageForm::PLAIN, |document, page| {
            let look = document.add_object(Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Form",
                    "BBox" => vec![0.into(), 0.into(), 100.into(), 20.into()],
                },
                content.as_bytes().to_vec(),
            ));
            let field = document.add_object(with(
                field,
                &dictionary! {
                    "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => look },
                    "Rect" => vec![50.into(), 100.into(), 150.into(), 120.into()],
                },
            ));
            page.set("Annots", vec![field.into()]);
            let catalog = document.add_object(dictionary! {
                "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![field.into()] },
            });
            document.trailer.set("Root", catalog);
        })
    };
    let ticked = || with(named("tick", "Btn"), &dictionary! { "V" => "Yes", "AS" => "Yes" });
    let warned = |pdf: &[u8]| take(pdf).expect("taken").warnings;
    let told = |name: &str| {
        let fields = vec![name.to_owned()];
        vec![Warning::FormValuesNotShown { fields }]
    };
    for empty in ["", "/Tx BMC EMC", "0.9 g 0 0 100 20 re f 0 G 0 0 100 20 re S"] {
        assert_eq!(
            warned(&looking(text_field("name", "Kim"), empty)),
            told("name"),
            "{empty}"
        );
        assert_eq!(warned(&looking(named("name", "Tx"), empty)), [], "{empty}");
    }
    assert_eq!(warned(&looking(ticked(), "q Q")), told("tick"));
    assert_eq!(warned(&looking(ticked(), "20 5 10 10 re f")), []);
    assert_eq!(warned(&looking(text_field("name", "Kim"), "0 0 m 9 9 l S")), []);
}

/// With `NeedAppearances`, viewers draw the value and ignore the stored appearance.
#[test]
fn the_value_wins_over_a_look_that_the_form_calls_stale() {
    let taken = |needs: bool| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let shown = square(document, "1 0 0");
            let field = document.add_object(with(
                text_field("name", "Minjun"),
                &dictionary! {
                    "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => shown },
                    "Rect" => vec![100.into(), 100.into(), 180.into(), 120.into()],
                },
            ));
            page.set("Annots", vec![field.into()]);
            let catalog = document.add_object(dictionary! {
                "Type" => "Catalog",
                "AcroForm" => dictionary! { "Fields" => vec![field.into()], "NeedAppearances" => needs },
            });
            document.trailer.set("Root", catalog);
        });
        take(&pdf).expect("taken")
    };
    let red = |taken: &document::intake::Intake| {
        crate::pages::bounds(&crate::pages::ours(&taken.pdf, 72.0), &taken.pages[0], [255, 0, 0]).is_some()
    };
    let (stale, own) = (taken(true), taken(false));
    assert!(!red(&stale) && text(&stale.pdf).contains("Minjun"));
    assert!(stale.changes.contains(&Change::AppearancesMade { count: 1 }));
    assert!(red(&own) && !text(&own.pdf).contains("Minjun"));
}

/// Viewers draw annotations in order, including fields.
#[test]
fn what_lies_beneath_a_field_stays_beneath_it_and_what_lies_above_stays_above() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let mut annotation = |kind: &str, colour: &str, left: i64| {
            let shown = square(document, colour);
            let field = with(text_field("name", "Kim"), &dictionary! { "Subtype" => kind });
            let annotation = with(
                field,
                &dictionary! {
                    "Type" => "Annot", "F" => 4, "AP" => dictionary! { "N" => shown },
                    "Rect" => vec![left.into(), 100.into(), (left + 40).into(), 140.into()],
                },
            );
            Object::from(document.add_object(annotation))
        };
        let annotations = vec![
            annotation("Stamp", "1 0 0", 10),
            annotation("Stamp", "1 1 0", 100),
            annotation("Stamp", "1 0 1", 120),
            annotation("Widget", "0 0 1", 140),
            annotation("Stamp", "0 1 0", 160),
        ];
        page.set("Annots", annotations.clone());
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![annotations[3].clone()] },
        });
        document.trailer.set("Root", catalog);
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(
        taken.changes,
        [
            Change::PagesRedrawn { count: 1 },
            Change::FormFlattened { count: 1 },
            Change::AnnotationsMerged { count: 2 }
        ]
    );
    assert!(crate::pages::poppler(&taken.pdf, 72) == crate::pages::poppler(&pdf, 72));
    assert!(crate::pages::ours(&taken.pdf, 72.0) == crate::pages::ours(&pdf, 72.0));
    let document = Document::load_mem(&taken.pdf).expect("readable");
    let page = document.page_iter().next().expect("a page");
    let left = document.get_dictionary(page).and_then(|page| page.get(b"Annots"));
    assert_eq!(left.and_then(Object::as_array).expect("annotations").len(), 2);
}
