//! Marks are placed correctly, upright, and readable by Poppler, qpdf and our renderer.

use std::io::Cursor;
use std::sync::LazyLock;

use document::marks::picture::PictureFault;
use document::marks::stamp::{Mark, MarkContent, MarkFault, StampError, outline, prove, stamp};
use document::pages::render::page_image;
use document::pdf::geometry::displayed_box;
use document::text::fonts::Fonts;
use document::text::layout::{TextFault, TextStyle};
use domain::field::{Alignment, Placement, TextPlace};
use domain::language::Language;
use domain::template::PageSize;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use lopdf::{Document, Object};

use crate::judges::structure_complaints;
use crate::pages::{PageForm, bounds, ours, page_file, percent, poppler, text};

pub static FONTS: LazyLock<Fonts> = LazyLock::new(|| Fonts::embedded().expect("the embedded fonts load"));

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const MAGENTA: [u8; 3] = [255, 0, 255];

pub fn displayed_size(pdf: &[u8]) -> PageSize {
    let taken = document::intake::inspect(pdf, &document::intake::Limits::default()).expect("the file is taken");
    taken.pages[0]
}

/// A four-coloured picture: red and green above blue and magenta.
fn quarters(width: u32, height: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(width, height, |x, y| {
        Rgb(match (2 * x < width, 2 * y < height) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => MAGENTA,
        })
    });
    encoded(&picture.into(), ImageFormat::Png)
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).expect("encodes");
    bytes.into_inner()
}

fn mark(placement: Placement, content: MarkContent) -> Mark {
    Mark {
        page: 1,
        placement,
        content,
    }
}

fn words(text: &str, language: Language) -> MarkContent {
    MarkContent::Text {
        text: text.to_owned(),
        style: TextStyle {
            language,
            ..TextStyle::default()
        },
    }
}

fn assert_close(found: [f64; 4], expected: [f64; 4], what: &str) {
    for (found_edge, expected_edge) in found.iter().zip(expected) {
        assert!(
            (found_edge - expected_edge).abs() <= 1.0,
            "{what}: found {found:?}, expected {expected:?} (left, top, right, bottom in points)"
        );
    }
}

/// Places the four-coloured picture and checks where each colour appears.
fn assert_in_place(form: PageForm) {
    let pdf = page_file(form);
    let size = displayed_size(&pdf);
    let placement = percent(20, 60, 30, 12);
    let place = displayed_box(&size, &placement);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let picture = quarters((place.width * 2.0).round() as u32, (place.height * 2.0).round() as u32);
    let stamped = stamp(
        &pdf,
        &FONTS,
        &[mark(
            placement,
            MarkContent::Picture {
                bytes: picture,
                words: String::new(),
            },
        )],
    )
    .expect("stamped");
    assert_eq!(structure_complaints(&stamped), Vec::<String>::new(), "{form:?}");

    let (left, top) = (place.x, place.y);
    let (centre, middle) = (place.x + place.width / 2.0, place.y + place.height / 2.0);
    let (right, bottom) = (place.x + place.width, place.y + place.height);
    for (viewer, picture) in [
        ("poppler", poppler(&stamped, 144)),
        ("our renderer", ours(&stamped, 144.0)),
    ] {
        for (colour, expected) in [
            (RED, [left, top, centre, middle]),
            (GREEN, [centre, top, right, middle]),
            (BLUE, [left, middle, centre, bottom]),
            (MAGENTA, [centre, middle, right, bottom]),
        ] {
            let what = format!("{viewer}, {form:?}, colour {colour:?}");
            let found = bounds(&picture, &size, colour).unwrap_or_else(|| panic!("{what}: nothing is shown"));
            assert_close(found, expected, &what);
        }
    }
}

#[test]
fn marks_are_upright_and_in_place_on_pages_turned_by_0_90_180_and_270_degrees() {
    for rotate in [0, 90, 180, 270] {
        assert_in_place(PageForm {
            rotate,
            ..PageForm::PLAIN
        });
    }
}

#[test]
fn a_crop_box_that_differs_from_the_media_box_makes_no_offset() {
    for rotate in [0, 90, 180, 270] {
        assert_in_place(PageForm {
            rotate,
            ..PageForm::CROPPED
        });
    }
}

#[test]
fn a_user_unit_of_two_changes_size_and_not_place() {
    for rotate in [0, 270] {
        assert_in_place(PageForm {
            rotate,
            user_unit: 2.0,
            ..PageForm::CROPPED
        });
    }
    let plain = displayed_size(&page_file(PageForm::PLAIN));
    let doubled = displayed_size(&page_file(PageForm {
        user_unit: 2.0,
        ..PageForm::PLAIN
    }));
    assert_eq!(
        (doubled.width_points, doubled.height_points),
        (2.0 * plain.width_points, 2.0 * plain.height_points)
    );
    // Twelve points are always measured on paper, so on a page twice as large they cover half the share.
    let pdf = page_file(PageForm {
        user_unit: 2.0,
        ..PageForm::PLAIN
    });
    assert_eq!(ours(&pdf, 72.0).dimensions(), (800, 600));
}

#[test]
fn a_text_stands_in_its_box_at_every_rotation() {
    for rotate in [0, 90, 180, 270] {
        let pdf = page_file(PageForm {
            rotate,
            ..PageForm::CROPPED
        });
        let size = displayed_size(&pdf);
        let placement = percent(30, 20, 40, 5);
        let style = TextStyle {
            colour: RED,
            size: Some(14.0),
            alignment: Alignment::Right,
            ..TextStyle::default()
        };
        let content = MarkContent::Text {
            text: "계약서 ABC".to_owned(),
            style,
        };
        let stamped = stamp(&pdf, &FONTS, &[mark(placement, content)]).expect("stamped");
        let place = displayed_box(&size, &placement);
        for picture in [poppler(&stamped, 144), ours(&stamped, 144.0)] {
            let [left, top, right, bottom] = bounds(&picture, &size, RED).expect("the text shows");
            assert!(
                left > place.x + place.width / 2.0 && right <= place.x + place.width,
                "{rotate}: {left}..{right}"
            );
            assert!(
                (right - (place.x + place.width - 2.0)).abs() <= 2.0,
                "at the right edge: {right}"
            );
            let centre = f64::midpoint(top, bottom) - (place.y + place.height / 2.0);
            assert!(centre.abs() <= 2.0, "in the middle of the box's height: {centre}");
            assert!(right - left > 3.0 * (bottom - top), "upright");
        }
    }
}

#[test]
fn every_script_is_read_back_as_it_was_written() {
    let values = [
        ("김민준 대한민국 3,000,000원", Language::Ko),
        ("山田太郎 やまだタロウ", Language::Ja),
        ("张伟 張偉", Language::En),
        ("José Müller Łukasz Çelik", Language::En),
        ("2026-12-01 (UTC+09:00)", Language::Ko),
    ];
    let marks: Vec<Mark> = (1..)
        .zip(values)
        .map(|(row, (value, language))| mark(percent(10, row * 12, 80, 8), words(value, language)))
        .collect();
    let stamped = stamp(page_file(PageForm::PLAIN), &FONTS, &marks).expect("stamped");
    assert_eq!(structure_complaints(&stamped), Vec::<String>::new());
    let read = text(&stamped);
    for (value, _) in values {
        assert!(read.contains(value), "{value} is not in:\n{read}");
    }
}

#[test]
fn korean_text_where_the_first_font_has_no_hangul_is_shown_in_another() {
    // In a Japanese document, the preferred font has no Hangul.
    let content = words("김민준", Language::Ja);
    let stamped = stamp(
        page_file(PageForm::PLAIN),
        &FONTS,
        &[mark(percent(10, 10, 50, 10), content)],
    )
    .expect("stamped");
    assert!(text(&stamped).contains("김민준"));
}

#[test]
fn korean_text_where_the_chosen_font_has_no_hangul_is_shown_in_another() {
    let content = MarkContent::Text {
        text: "김민준 ABC".to_owned(),
        style: TextStyle {
            font: Some("Noto Sans Hebrew".into()),
            ..TextStyle::default()
        },
    };
    let stamped = stamp(
        page_file(PageForm::PLAIN),
        &FONTS,
        &[mark(percent(10, 10, 50, 10), content)],
    )
    .expect("stamped");
    assert!(text(&stamped).contains("김민준 ABC"));
}

#[test]
fn a_hebrew_or_arabic_value_is_shaped_and_read_back_in_logical_order() {
    for (value, language) in [
        ("שלום עולם", Language::En),
        ("محمد عبد الله", Language::Ko),
        ("السلام عليكم", Language::Ja),
        ("חוזה מספר 2026-12 א", Language::En),
    ] {
        let stamped = stamp(
            page_file(PageForm::PLAIN),
            &FONTS,
            &[mark(percent(10, 10, 80, 10), words(value, language))],
        )
        .expect("stamped");
        assert_eq!(structure_complaints(&stamped), Vec::<String>::new());
        // Poppler puts direction marks around right-to-left text.
        let read: String = text(&stamped)
            .chars()
            .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}'))
            .collect();
        // If Poppler mistakes words of a line for columns, it may reorder the words, but not their letters.
        for word in value.split(' ') {
            assert!(read.contains(word), "{word} of {value} is not in:\n{read}");
        }
    }
}

#[test]
fn emoji_are_shown_and_read_back() {
    let value = "계약 👍🎉 ✅";
    let stamped = stamp(
        page_file(PageForm::PLAIN),
        &FONTS,
        &[mark(percent(10, 10, 80, 10), words(value, Language::Ko))],
    )
    .expect("stamped");
    let read = text(&stamped);
    assert!(read.contains(value), "{value} is not in:\n{read}");
}

/// The browser draws outlines, and the PDF is drawn from the same text.
#[test]
fn outlines_cover_what_the_pdf_shows() {
    let pdf = page_file(PageForm::PLAIN);
    let size = displayed_size(&pdf);
    for (value, place, alignment) in [
        ("김민준 ABC gj", None, Alignment::Start),
        ("שלום", None, Alignment::Start),
        ("محمد", None, Alignment::Center),
        ("👍 1", None, Alignment::Right),
        ("서울\n부산", Some(TextPlace::ManyLines), Alignment::Start),
        ("12김", Some(TextPlace::Cells(6)), Alignment::Right),
    ] {
        let placement = percent(20, 60, 40, 15);
        let content = MarkContent::Text {
            text: value.to_owned(),
            style: TextStyle {
                place,
                alignment,
                colour: RED,
                ..TextStyle::default()
            },
        };
        let mark = mark(placement, content);
        let outline = outline(&FONTS, &size, &mark).expect("fits").expect("a text");
        let place = displayed_box(&size, &placement);
        let drawn = extent(&outline.path).map(|edge| f64::from(edge) / 100.0);
        let expected = [
            place.x + drawn[0],
            place.y + drawn[1],
            place.x + drawn[2],
            place.y + drawn[3],
        ];
        let stamped = stamp(&pdf, &FONTS, &[mark]).expect("stamped");
        let found = bounds(&poppler(&stamped, 288), &size, RED).expect("it shows");
        assert_close(found, expected, value);
    }
}

/// Returns left, top, right and bottom of the points of a path with relative commands, in hundredths.
fn extent(path: &str) -> [i32; 4] {
    let mut edges = [i32::MAX, i32::MAX, i32::MIN, i32::MIN];
    let (mut at, mut start) = ((0.0_f64, 0.0_f64), (0.0, 0.0));
    let commands = path
        .split_inclusive(|c: char| c.is_ascii_alphabetic())
        .collect::<Vec<_>>();
    // `split_inclusive` leaves each letter at the end of the numbers before it.
    for pair in commands.windows(2) {
        let letter = pair[0].chars().last().expect("a letter");
        let numbers: Vec<f64> = pair[1]
            .trim_end_matches(|c: char| c.is_ascii_alphabetic())
            .replace('-', " -")
            .split_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect();
        // All points of a command are relative to its start. The last point is its end.
        if let [.., x, y] = numbers[..] {
            at = (at.0 + x, at.1 + y);
        }
        match letter {
            'm' => start = at,
            'z' => at = start,
            _ => {}
        }
        #[expect(clippy::cast_possible_truncation)]
        let (x, y) = ((at.0 * 100.0).round() as i32, (at.1 * 100.0).round() as i32);
        edges = [edges[0].min(x), edges[1].min(y), edges[2].max(x), edges[3].max(y)];
    }
    edges
}

#[test]
fn a_character_without_glyph_is_refused_and_named() {
    let size = PageSize {
        width_points: 400.0,
        height_points: 300.0,
    };
    let mark = mark(percent(10, 10, 50, 10), words("이름 𓀀", Language::Ko));
    let fault = MarkFault::Text(TextFault::MissingCharacters {
        characters: vec!['𓀀']
    });
    assert_eq!(prove(&FONTS, &size, &mark), Err(fault.clone()));
    match stamp(page_file(PageForm::PLAIN), &FONTS, &[mark]) {
        Err(StampError::Mark { index: 0, fault: found }) => assert_eq!(found, fault),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn ticks_and_dots_fill_the_middle_of_their_boxes() {
    let pdf = page_file(PageForm {
        media: [0, 0, 200, 200],
        ..PageForm::PLAIN
    });
    let size = displayed_size(&pdf);
    for content in [MarkContent::Check, MarkContent::Dot] {
        let placement = percent(80, 10, 10, 10);
        let stamped = stamp(&pdf, &FONTS, &[mark(placement, content.clone())]).expect("stamped");
        let [left, top, right, bottom] = bounds(&poppler(&stamped, 288), &size, [0, 0, 0]).expect("it shows");
        assert!(
            left >= 160.0 && right <= 180.0 && top >= 20.0 && bottom <= 40.0,
            "{content:?} leaves its box"
        );
        assert!(right - left > 10.0 && bottom - top > 10.0, "{content:?} is too small");
    }
}

#[test]
fn a_transparent_picture_lets_the_page_show_through() {
    // The left half is transparent, the right half red.
    let picture = RgbaImage::from_fn(40, 20, |x, _| {
        if x < 20 {
            Rgba([0, 0, 255, 0])
        } else {
            Rgba([255, 0, 0, 255])
        }
    });
    let bytes = encoded(&picture.into(), ImageFormat::Png);
    let pdf = page_file(PageForm {
        media: [0, 0, 200, 100],
        ..PageForm::PLAIN
    });
    let size = displayed_size(&pdf);
    let stamped = stamp(
        &pdf,
        &FONTS,
        &[mark(
            percent(50, 10, 40, 40),
            MarkContent::Picture {
                bytes,
                words: String::new(),
            },
        )],
    )
    .expect("stamped");
    assert_eq!(structure_complaints(&stamped), Vec::<String>::new());
    for picture in [poppler(&stamped, 144), ours(&stamped, 144.0)] {
        assert_close(
            bounds(&picture, &size, RED).expect("red shows"),
            [140.0, 10.0, 180.0, 50.0],
            "the right half",
        );
        assert_eq!(bounds(&picture, &size, BLUE), None, "what is transparent is not shown");
    }
}

#[test]
fn a_jpeg_is_shown_in_its_proportions() {
    let picture = RgbImage::from_pixel(200, 100, Rgb(RED));
    let bytes = encoded(&picture.into(), ImageFormat::Jpeg);
    let pdf = page_file(PageForm {
        media: [0, 0, 200, 200],
        ..PageForm::PLAIN
    });
    let size = displayed_size(&pdf);
    let stamped = stamp(
        &pdf,
        &FONTS,
        &[mark(
            percent(50, 50, 40, 40),
            MarkContent::Picture {
                bytes,
                words: String::new(),
            },
        )],
    )
    .expect("stamped");
    let found = bounds(&poppler(&stamped, 144), &size, RED).expect("it shows");
    assert_close(
        found,
        [100.0, 120.0, 180.0, 160.0],
        "as wide as the box, half as high, in the middle",
    );
}

#[test]
fn a_picture_that_is_none_is_refused() {
    let content = MarkContent::Picture {
        bytes: b"GIF89a".to_vec(),
        words: String::new(),
    };
    let refused = stamp(
        page_file(PageForm::PLAIN),
        &FONTS,
        &[mark(percent(1, 1, 5, 5), content)],
    );
    assert!(matches!(
        refused,
        Err(StampError::Mark {
            index: 0,
            fault: MarkFault::Picture(PictureFault::UnknownFormat)
        })
    ));
}

#[test]
fn a_page_that_is_not_there_and_a_box_off_the_page_are_refused() {
    let pdf = page_file(PageForm::PLAIN);
    let beyond = Mark {
        page: 2,
        ..mark(percent(1, 1, 5, 5), MarkContent::Check)
    };
    assert!(matches!(
        stamp(&pdf, &FONTS, &[beyond]),
        Err(StampError::Mark {
            index: 0,
            fault: MarkFault::NoSuchPage
        })
    ));
    let off = mark(percent(90, 1, 20, 5), MarkContent::Check);
    assert!(matches!(
        stamp(&pdf, &FONTS, &[off]),
        Err(StampError::Mark {
            index: 0,
            fault: MarkFault::OffPage
        })
    ));
}

#[test]
fn the_file_before_stays_as_it_was() {
    let pdf = page_file(PageForm::PLAIN);
    let stamped = stamp(&pdf, &FONTS, &[mark(percent(1, 1, 5, 5), MarkContent::Check)]).expect("stamped");
    assert!(stamped.starts_with(&pdf) && stamped.len() > pdf.len());
    assert_eq!(stamp(&pdf, &FONTS, &[]).expect("nothing to do"), pdf);
}

/// Two steps may stamp one after the other. Their names and state must not collide.
#[test]
fn a_stamped_file_can_be_stamped_again() {
    let pdf = page_file(PageForm {
        media: [0, 0, 200, 100],
        ..PageForm::PLAIN
    });
    let size = displayed_size(&pdf);
    let picture = |colour| encoded(&RgbImage::from_pixel(20, 20, Rgb(colour)).into(), ImageFormat::Png);
    let once = mark(
        percent(10, 20, 10, 20),
        MarkContent::Picture {
            bytes: picture(RED),
            words: String::new(),
        },
    );
    let again = mark(
        percent(70, 20, 10, 20),
        MarkContent::Picture {
            bytes: picture(BLUE),
            words: String::new(),
        },
    );
    let stamped = stamp(stamp(&pdf, &FONTS, &[once]).expect("once"), &FONTS, &[again]).expect("again");
    assert_eq!(structure_complaints(&stamped), Vec::<String>::new());
    let shown = poppler(&stamped, 144);
    assert_close(
        bounds(&shown, &size, RED).expect("red"),
        [20.0, 20.0, 40.0, 40.0],
        "the first",
    );
    assert_close(
        bounds(&shown, &size, BLUE).expect("blue"),
        [140.0, 20.0, 160.0, 40.0],
        "the second",
    );
}

/// Pages may share a resource dictionary. Additions to one page must not appear on the other.
#[test]
fn shared_resources_stay_as_they_are() {
    let pdf = page_file(PageForm::PLAIN);
    let stamped = stamp(&pdf, &FONTS, &[mark(percent(1, 1, 5, 5), MarkContent::Check)]).expect("stamped");
    let document = Document::load_mem(&stamped).expect("readable");
    let page = document.page_iter().next().expect("a page");
    let parent = document
        .get_dictionary(page)
        .expect("a page")
        .get(b"Parent")
        .and_then(Object::as_reference);
    let parent = document.get_dictionary(parent.expect("a parent")).expect("a node");
    let shared = parent.get(b"Resources").and_then(Object::as_dict).expect("resources");
    assert!(!shared.has(b"XObject"), "the inherited resources were changed");
    let own = document
        .get_dictionary(page)
        .expect("a page")
        .get(b"Resources")
        .and_then(Object::as_dict);
    let own = own.expect("the page has resources of its own");
    assert!(own.has(b"Font") && own.has(b"XObject"), "what was inherited is copied");
}

#[test]
fn old_content_still_shows() {
    let pdf = page_file(PageForm::PLAIN);
    let stamped = stamp(&pdf, &FONTS, &[mark(percent(80, 80, 5, 5), MarkContent::Check)]).expect("stamped");
    assert!(text(&stamped).contains("old content"));
    assert!(page_image(&stamped, 1, 72.0).expect("shown").starts_with(b"RIFF"));
}
