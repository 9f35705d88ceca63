//! Tests page comparison: it finds every visible difference and ignores rounding.

use std::fmt::Write as _;

use document::intake::{Change, Likeness, Limits, Refused, Warning, compare, inspect};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use proptest::prelude::*;

use crate::pages::{PageForm, document_of, page_file};

const LETTER: PageForm = PageForm {
    media: [0, 0, 612, 792],
    ..PageForm::PLAIN
};

/// A page that draws `content`, with Helvetica as the font `/F1`.
fn page(content: &str) -> Vec<u8> {
    page_of(content, |_| Dictionary::new())
}

/// A page that draws `content` with additional resources.
fn page_of(content: &str, resources: impl FnOnce(&mut Document) -> Dictionary) -> Vec<u8> {
    document_of(LETTER, |document, page| {
        let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
        page.set("Contents", content);
        let resources = resources(document);
        if !resources.is_empty() {
            page.set("Resources", resources);
        }
    })
}

fn text(size: f64, text: &str) -> Vec<u8> {
    page(&format!("BT /F1 {size} Tf 72 700 Td ({text}) Tj ET"))
}

fn likeness(before: &[u8], after: &[u8]) -> Likeness {
    let compared = compare(before.to_vec(), "", after.to_vec()).expect("both are read");
    let [likeness] = compared[..] else {
        panic!("one page: {compared:?}");
    };
    likeness
}

fn differ(before: &[u8], after: &[u8]) -> bool {
    likeness(before, after) == Likeness::Differs && likeness(after, before) == Likeness::Differs
}

fn a_form(document: &mut Document, entries: &Dictionary, content: &str) -> Object {
    let mut form = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => [0, 0, 612, 792].map(Object::from).to_vec(),
    };
    form.extend(entries);
    document
        .add_object(Stream::new(form, content.as_bytes().to_vec()))
        .into()
}

#[test]
fn a_changed_comma_in_six_points_is_caught() {
    for font in ["Helvetica", "Times-Roman", "Times-Italic", "Courier"] {
        let of = |text: &str| {
            page_of(&format!("BT /F2 6 Tf 72.3 700.2 Td ({text}) Tj ET"), |_| {
                let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => font };
                dictionary! { "Font" => dictionary! { "F2" => font } }
            })
        };
        assert!(differ(&of("1,000"), &of("1.000")), "{font}");
        assert!(differ(&of("10,00"), &of("1,000")), "{font}");
        assert!(differ(&of("a; b"), &of("a: b")), "{font}");
    }
}

#[test]
fn a_missing_minus_sign_is_caught() {
    // A hyphen, and a dash in the font's own encoding.
    for sign in ["-", "\\261"] {
        let of = |sign: &str| {
            page(&format!(
                "BT /F1 6 Tf 72 700 Td ({sign}) Tj 1 0 0 1 76 700 Tm (100) Tj ET"
            ))
        };
        assert!(differ(&of(sign), &of(" ")), "{sign}");
    }
}

#[test]
fn every_other_digit_in_six_points_is_caught() {
    for digit in 0..10 {
        for other in 0..digit {
            let of = |digit: u32| text(6.0, &format!("KRW 12{digit}45"));
            assert!(differ(&of(digit), &of(other)), "{digit} and {other}");
        }
    }
}

#[test]
fn a_thin_strike_out_is_caught() {
    let words = "BT /F1 12 Tf 72 700 Td (The deposit is returned) Tj ET";
    for line in [
        "0.25 w 72 704 m 190 704 l S",
        "0 w 72 704.3 m 190 704.3 l S",
        "72 704 118 0.3 re f",
        "0.5 G 0.5 w 72 704 m 190 704 l S",
    ] {
        assert!(differ(&page(words), &page(&format!("{words} {line}"))), "{line}");
    }
}

#[test]
fn another_colour_or_another_mark_beneath_is_caught() {
    let square = |colour: &str| page(&format!("{colour} rg 72 600 20 20 re f"));
    assert!(differ(&square("1 0 0"), &square("0 0.5 0")));
    assert!(differ(&square("1 1 1"), &square("1 1 0.7")));
    let (red, blue) = ("1 0 0 rg 72 600 20 20 re f", "0 0 1 rg 80 600 20 20 re f");
    assert!(differ(&page(&format!("{red} {blue}")), &page(&format!("{blue} {red}"))));
}

#[test]
fn another_picture_is_caught_and_the_same_packed_otherwise_is_not() {
    let picture = |samples: &[u8], pack: bool| {
        page_of("200 0 0 200 100 400 cm /Im0 Do", |document| {
            let mut image = Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Image", "Width" => 8, "Height" => 8,
                    "BitsPerComponent" => 8, "ColorSpace" => "DeviceGray",
                },
                samples.to_vec(),
            );
            if pack {
                let mut hexadecimal = String::new();
                for byte in samples {
                    let _ = write!(hexadecimal, "{byte:02x}");
                }
                image.set_content(format!("{hexadecimal}>").into_bytes());
                image.dict.set("Filter", "ASCIIHexDecode");
            }
            let image = document.add_object(image);
            dictionary! { "XObject" => dictionary! { "Im0" => image } }
        })
    };
    let samples = [200_u8; 64];
    let mut other = samples;
    other[17] = 120;
    assert!(differ(&picture(&samples, false), &picture(&other, false)));
    assert_eq!(
        likeness(&picture(&samples, false), &picture(&samples, true)),
        Likeness::DrawnAlike
    );
}

#[test]
fn what_a_mask_or_a_blend_mode_changes_is_caught() {
    let shown = |blend: &str, mask: &str, tile: &str| {
        page_of(
            "1 0 0 rg 72 600 100 100 re f /G0 gs 0 0.6 0 rg 90 620 100 100 re f \
             /Pattern cs /P0 scn 300 300 90 90 re f",
            |document| {
                let group = dictionary! { "Group" => dictionary! { "S" => "Transparency", "CS" => "DeviceGray" } };
                let mask = a_form(document, &group, mask);
                let tile = document.add_object(Stream::new(
                    dictionary! {
                        "PatternType" => 1, "PaintType" => 1, "TilingType" => 1, "XStep" => 10, "YStep" => 10,
                        "BBox" => [0, 0, 10, 10].map(Object::from).to_vec(), "Resources" => Dictionary::new(),
                    },
                    tile.as_bytes().to_vec(),
                ));
                dictionary! {
                    "ExtGState" => dictionary! { "G0" => dictionary! {
                        "BM" => blend, "SMask" => dictionary! { "S" => "Luminosity", "G" => mask },
                    } },
                    "Pattern" => dictionary! { "P0" => tile },
                }
            },
        )
    };
    let (mask, tile) = ("1 g 0 0 612 792 re f", "0 0 5 5 re f");
    let plain = shown("Normal", mask, tile);
    assert_eq!(likeness(&plain, &shown("Normal", mask, tile)), Likeness::DrawnAlike);
    assert!(differ(&plain, &shown("Multiply", mask, tile)));
    assert!(differ(&plain, &shown("Normal", "0.5 g 0 0 612 792 re f", tile)));
    assert!(differ(&plain, &shown("Normal", "1 g 0 0 130 792 re f", tile)));
    assert!(differ(&plain, &shown("Normal", mask, "0 0 5 3 re f")));
}

#[test]
fn another_gradient_is_caught() {
    let gradient = |to: f32, end: i64| {
        page_of("/Sh0 sh", |_| {
            let function = dictionary! {
                "FunctionType" => 2, "N" => 1, "Domain" => [0, 1].map(Object::from).to_vec(),
                "C0" => vec![1.into(), 1.into(), 1.into()], "C1" => vec![to.into(), 0.into(), 0.into()],
            };
            dictionary! { "Shading" => dictionary! { "Sh0" => dictionary! {
                "ShadingType" => 2, "ColorSpace" => "DeviceRGB", "Function" => function,
                "Coords" => [0, 0, end, 0].map(Object::from).to_vec(),
            } } }
        })
    };
    let plain = gradient(1.0, 612);
    assert_eq!(likeness(&plain, &gradient(1.0, 612)), Likeness::DrawnAlike);
    assert!(differ(&plain, &gradient(0.5, 612)));
    assert!(differ(&plain, &gradient(1.0, 400)));
}

#[test]
fn a_page_of_another_size_or_a_missing_page_is_no_page_of_the_same_look() {
    let larger = page_file(PageForm {
        media: [0, 0, 400, 310],
        ..PageForm::PLAIN
    });
    assert!(differ(&page_file(PageForm::PLAIN), &larger));
    let two = crate::samples::unsigned(crate::samples::References::Table);
    assert!(compare(two, "", page_file(PageForm::PLAIN)).is_err());
}

#[test]
fn a_clip_that_is_set_in_another_way_is_no_difference() {
    let drawn = "72 600 100 100 re f";
    let clipped = |clip: &str| page(&format!("q {clip} {drawn} Q"));
    let plain = clipped("80 610 50 50 re W n");
    for clip in [
        "0 0 612 792 re W n 80 610 50 50 re W n",
        "80 610 m 80 660 l 130 660 l 130 610 l h W* n",
        "80 590 50 70 re W n 60 610 200 200 re W n",
        "q 1 1 1 1 re W n Q 80.004 610 49.99 50 re W n",
    ] {
        assert_eq!(likeness(&plain, &clipped(clip)), Likeness::DrawnAlike, "{clip}");
    }
    assert!(differ(&plain, &clipped("80 610 50 49 re W n")));
    assert!(differ(&plain, &clipped("80 610 m 80 660 l 130 660 l h W n")));
}

#[test]
fn steps_in_another_order_that_look_the_same_are_told_apart_from_the_same_steps() {
    let (one, other) = ("72 600 20 20 re f", "172 600 20 20 re f");
    let (before, after) = (page(&format!("{one} {other}")), page(&format!("{other} {one}")));
    assert_eq!(likeness(&before, &after), Likeness::LooksAlike);
    assert_eq!(likeness(&before, &before), Likeness::DrawnAlike);
}

#[test]
fn a_page_of_more_steps_than_are_compared_is_judged_by_its_picture() {
    let mut content = String::new();
    for step in 0..300_000 {
        let _ = writeln!(content, "{} {} 1 1 re f", step % 600, step / 600);
    }
    let many = page(&content);
    assert_eq!(likeness(&many, &many), Likeness::LooksAlike);
}

/// Patterns nested deeper than any real file nests them.
#[test]
fn steps_that_lie_too_deep_to_be_compared_are_judged_by_their_picture() {
    let deep = |width: u32| {
        page_of("/Pattern cs /P0 scn 72 600 100 100 re f", |document| {
            let mut innermost = format!("0 0 {width} 50 re f");
            let mut resources = Dictionary::new();
            for _ in 0..13 {
                let tile = document.add_object(Stream::new(
                    dictionary! {
                        "PatternType" => 1, "PaintType" => 1, "TilingType" => 1, "XStep" => 100, "YStep" => 100,
                        "BBox" => [0, 0, 100, 100].map(Object::from).to_vec(), "Resources" => resources,
                    },
                    std::mem::take(&mut innermost).into_bytes(),
                ));
                "/Pattern cs /P0 scn 0 0 100 100 re f".clone_into(&mut innermost);
                resources = dictionary! { "Pattern" => dictionary! { "P0" => tile } };
            }
            resources
        })
    };
    assert_eq!(likeness(&deep(50), &deep(50)), Likeness::LooksAlike);
    assert!(differ(&deep(50), &deep(20)));
}

/// The written file is compared with the upload that was locked, turned, cropped or scaled.
#[test]
fn what_intake_writes_is_drawn_in_the_steps_of_the_upload() {
    let mut uploads = vec![
        crate::taking::encrypted("", "128"),
        crate::taking::encrypted("", "256"),
        page_file(PageForm::CROPPED),
    ];
    uploads.extend([90, 180, 270].map(|rotate| {
        page_file(PageForm {
            rotate,
            user_unit: 2.5,
            ..PageForm::CROPPED
        })
    }));
    for upload in uploads {
        let taken = inspect(upload.clone(), &Limits::default()).expect("taken");
        assert!(
            !taken
                .changes
                .iter()
                .any(|change| matches!(change, Change::PagesRedrawn { .. }))
        );
        assert_eq!(likeness(&upload, &taken.pdf), Likeness::DrawnAlike);
    }
    let locked = crate::taking::encrypted("secret", "256");
    assert!(compare(locked.clone(), "", locked.clone()).is_err());
    let plain = page_file(PageForm::PLAIN);
    assert_eq!(compare(locked, "secret", plain).expect("read"), [Likeness::DrawnAlike]);
}

/// A form with one field, and optionally an annotation before it.
fn form(rectangle: [f32; 4], beneath: Option<[f32; 4]>) -> Vec<u8> {
    document_of(LETTER, |document, page| {
        let mut annotation = |kind: &str, rectangle: [f32; 4], colour: &str| {
            let look = document.add_object(Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Form", "Resources" => Dictionary::new(),
                    "BBox" => vec![0.into(), 0.into(), 149.9998_f32.into(), 22.into()],
                },
                format!("{colour} rg 0 0 149.9998 22 re f").into_bytes(),
            ));
            dictionary! {
                "Type" => "Annot", "Subtype" => kind, "F" => 4, "Rect" => rectangle.map(Object::Real).to_vec(),
                "AP" => dictionary! { "N" => look },
            }
        };
        let mut field = annotation("Widget", rectangle, "0.8 0.9 1");
        field.set("FT", "Tx");
        field.set("T", Object::string_literal("name"));
        let after = beneath.map(|rectangle| annotation("Stamp", rectangle, "1 0 0"));
        let field = Object::from(document.add_object(field));
        let mut annotations: Vec<Object> = after.map(|one| document.add_object(one).into()).into_iter().collect();
        annotations.push(field.clone());
        page.set("Annots", annotations);
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![field] },
        });
        document.trailer.set("Root", catalog);
    })
}

const BOX: [f32; 4] = [55.5002, 724.25, 205.5, 746.25];

/// Rounding this box moves one pixel, which must not keep the form in the file.
#[test]
fn a_form_whose_box_is_rounded_becomes_part_of_the_page() {
    let taken = inspect(form(BOX, None), &Limits::default()).expect("taken");
    assert_eq!(taken.changes, [Change::FormFlattened { count: 1 }]);
}

#[test]
fn the_report_names_pages_that_are_drawn_in_other_steps() {
    let apart = form(BOX, Some([300.0, 300.0, 350.0, 350.0]));
    let taken = inspect(apart, &Limits::default()).expect("taken");
    assert_eq!(
        taken.changes,
        [Change::PagesRedrawn { count: 1 }, Change::FormFlattened { count: 1 }]
    );
}

/// The field lies above the mark and must stay above it.
#[test]
fn a_mark_beneath_a_field_becomes_part_of_the_page_with_it() {
    let covered = form(BOX, Some([100.0, 700.0, 150.0, 750.0]));
    let taken = inspect(covered.clone(), &Limits::default()).expect("taken");
    assert_eq!(
        (taken.changes, taken.warnings),
        (
            vec![
                Change::FormFlattened { count: 1 },
                Change::AnnotationsMerged { count: 1 }
            ],
            vec![]
        )
    );
    assert_eq!(likeness(&covered, &taken.pdf), Likeness::DrawnAlike);
}

/// A field whose appearance is an image that the page also draws. Drawing the appearance as a form would turn it into
/// something other than an image.
fn form_of_a_picture(is_filled_in: bool) -> Vec<u8> {
    document_of(LETTER, |document, page| {
        let corners = |corners: [i64; 4]| corners.map(Object::from).to_vec();
        let picture = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 2, "Height" => 2, "BitsPerComponent" => 8,
                "ColorSpace" => "DeviceGray", "BBox" => corners([0, 0, 1, 1]),
            },
            vec![0, 90, 180, 240],
        ));
        let content = Stream::new(Dictionary::new(), b"100 0 0 100 72 600 cm /Im0 Do".to_vec());
        page.set("Contents", document.add_object(content));
        page.set(
            "Resources",
            dictionary! { "XObject" => dictionary! { "Im0" => picture } },
        );
        let mut field = dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "FT" => "Tx", "T" => Object::string_literal("name"),
            "Rect" => corners([72, 500, 200, 520]), "AP" => dictionary! { "N" => picture },
        };
        let mut fields = vec![Object::from(document.add_object(field.clone()))];
        if is_filled_in {
            field.remove(b"AP");
            field.set("T", Object::string_literal("amount"));
            field.set("V", Object::string_literal("100"));
            fields.push(document.add_object(field).into());
        }
        page.set("Annots", fields.clone());
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => fields },
        });
        document.trailer.set("Root", catalog);
    })
}

#[test]
fn a_form_that_would_look_different_as_a_part_of_the_page_stays_and_the_sender_is_warned() {
    let form = form_of_a_picture(false);
    let taken = inspect(form.clone(), &Limits::default()).expect("taken");
    assert_eq!(
        (taken.changes, taken.warnings),
        (vec![], vec![Warning::FormKept { page: 1 }])
    );
    assert_eq!(likeness(&form, &taken.pdf), Likeness::DrawnAlike);
    // Every viewer would draw this value itself.
    assert_eq!(
        inspect(form_of_a_picture(true), &Limits::default()).err(),
        Some(Refused::PageWouldChange { page: 1 })
    );
}

#[test]
fn the_sender_is_warned_where_a_page_could_not_be_compared_as_it_came() {
    let sizeless = page_file(PageForm {
        media: [0, 0, 0, 0],
        ..PageForm::PLAIN
    });
    let taken = inspect(sizeless, &Limits::default()).expect("taken");
    assert_eq!(taken.warnings, [Warning::NotCompared]);
}

/// An item on a page: letters, a bar or a line, in black.
#[derive(Debug, Clone)]
enum Thing {
    Letters { size: f64, text: String },
    Bar { width: f64, height: f64 },
    Line { across: f64, up: f64, width: f64 },
}

const LETTERS: &str = "ABCDEFGHKLMNPRSTUVXYZabdefghkmnopqrstuxyz0123456789";
const WORD: &str = "[A-HK-NPR-VX-Zabd-hkm-ux-z0-9]{3,12}";

fn thing() -> impl Strategy<Value = Thing> {
    prop_oneof![
        (6.0..24.0, WORD).prop_map(|(size, text)| Thing::Letters { size, text }),
        (3.0..200.0, 3.0..60.0).prop_map(|(width, height)| Thing::Bar { width, height }),
        (20.0..200.0, -60.0..60.0, 0.5..4.0).prop_map(|(across, up, width)| Thing::Line { across, up, width }),
    ]
}

fn things() -> impl Strategy<Value = Vec<Thing>> {
    proptest::collection::vec(thing(), 1..8)
}

/// Draws each item in its own row of the page, so that they do not overlap.
fn drawn(things: &[Thing], moved: impl Fn(usize) -> (f64, f64)) -> Vec<u8> {
    let mut content = String::new();
    for (row, thing) in things.iter().enumerate() {
        let (right, up) = moved(row);
        let row = u32::try_from(row).expect("few rows");
        let (x, y) = (72.0 + right, 80.0 + 90.0 * f64::from(row) + up);
        let _ = match thing {
            Thing::Letters { size, text } => writeln!(content, "BT /F1 {size:.3} Tf {x:.4} {y:.4} Td ({text}) Tj ET"),
            Thing::Bar { width, height } => writeln!(content, "{x:.4} {y:.4} {width:.4} {height:.4} re f"),
            Thing::Line { across, up, width } => writeln!(
                content,
                "{width:.4} w {x:.4} {y:.4} m {:.4} {:.4} l S",
                x + across,
                y + up
            ),
        };
    }
    page(&content)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn noise_in_coordinates_is_no_difference(
        things in things(),
        noise in proptest::collection::vec((-0.05..0.05, -0.05..0.05), 8),
    ) {
        let after = drawn(&things, |row| noise[row]);
        prop_assert_eq!(likeness(&drawn(&things, |_| (0.0, 0.0)), &after), Likeness::DrawnAlike);
    }

    #[test]
    fn what_is_moved_by_a_fifth_of_a_point_is_caught(
        things in things(),
        which in any::<proptest::sample::Index>(),
        far in 0.2_f64..3.0,
        direction in 0..4,
    ) {
        let which = which.index(things.len());
        let step = match direction {
            0 => (far, 0.0),
            1 => (-far, 0.0),
            2 => (0.0, far),
            _ => (0.0, -far),
        };
        let after = drawn(&things, |row| if row == which { step } else { (0.0, 0.0) });
        prop_assert!(differ(&drawn(&things, |_| (0.0, 0.0)), &after));
    }

    #[test]
    fn one_other_glyph_is_caught(
        size in 6.0..24.0,
        text in WORD,
        which in any::<proptest::sample::Index>(),
        other in any::<proptest::sample::Index>(),
    ) {
        let which = which.index(text.len());
        let other = char::from(LETTERS.as_bytes()[other.index(LETTERS.len())]);
        prop_assume!(!text[which..].starts_with(other));
        let mut changed = text.clone();
        changed.replace_range(which..=which, &other.to_string());
        let page = |text: &str| drawn(&[Thing::Letters { size, text: text.to_owned() }], |_| (0.0, 0.0));
        prop_assert!(differ(&page(&text), &page(&changed)), "{} and {}", text, changed);
    }
}
