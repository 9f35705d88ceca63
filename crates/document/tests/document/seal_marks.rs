//! The mark of a seal appears in its corner, upright and readable, without covering content or failing any verifier.

use document::pdf::geometry::displayed_box;
use document::sealing::seal_mark::{SealMark, in_corner};
use document::sealing::{SealDetails, seal};
use document::verify::verify;
use domain::field::Placement;
use domain::language::Language;
use domain::template::PageSize;
use image::RgbImage;

use crate::judges;
use crate::pages::{PageForm, ours, page_file, percent, poppler, text};
use crate::samples::{HOUSE, References, details, now, signed_by_others, unsigned};
use crate::stamping::{FONTS, displayed_size};

const WORDS: [(Language, &str, &str); 3] = [
    (
        Language::Ko,
        "주식회사 보기 봉인 · 2026년 11월 28일 18:05 (한국 시간)",
        "문서 번호 1042",
    ),
    (
        Language::En,
        "Sealed by 주식회사 보기 · 28 November 2026, 18:05 (UTC+09:00)",
        "Document 1042",
    ),
    (
        Language::Ja,
        "주식회사 보기 により封印 · 2026年11月28日 18:05 (日本時間)",
        "文書番号 1042",
    ),
];

fn marked(
    size: &PageSize,
    taken: &[Placement],
    certify: bool,
    (language, who, document): (Language, &str, &str),
) -> (SealDetails, Placement) {
    let mark = in_corner(1, size, &format!("{who}\n{document}"), language, taken).expect("a corner");
    let placement = mark.placement;
    let details = SealDetails {
        mark: Some(SealMark::draw(&FONTS, size, &mark).expect("drawn")),
        ..details(certify)
    };
    (details, placement)
}

/// Returns the bounding box of all differences between two pictures of a page, in points of the displayed page.
fn difference(before: &RgbImage, after: &RgbImage, size: &PageSize) -> Option<[f64; 4]> {
    assert_eq!(before.dimensions(), after.dimensions());
    let scale = size.width_points / f64::from(before.width());
    let mut found: Option<[u32; 4]> = None;
    for (x, y, pixel) in before.enumerate_pixels() {
        if pixel != after.get_pixel(x, y) {
            let [left, top, right, bottom] = found.unwrap_or([x, y, x + 1, y + 1]);
            found = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
        }
    }
    found.map(|edges| edges.map(|edge| f64::from(edge) * scale))
}

#[test]
fn the_mark_of_a_seal_stands_in_its_corner_at_every_rotation_and_everybody_is_content() {
    let mut all = Vec::new();
    for rotate in [0, 90, 180, 270] {
        let pdf = page_file(PageForm {
            rotate,
            ..PageForm::CROPPED
        });
        let size = displayed_size(&pdf);
        for words in WORDS {
            let (details, placement) = marked(&size, &[], true, words);
            let sealed = seal(&pdf, &HOUSE.key, &details).expect("sealed");
            let place = displayed_box(&size, &placement);
            for (name, before, after) in [
                ("poppler", poppler(&pdf, 144), poppler(&sealed, 144)),
                ("ours", ours(&pdf, 144.0), ours(&sealed, 144.0)),
            ] {
                let [left, top, right, bottom] = difference(&before, &after, &size).expect("it shows");
                assert!(
                    left >= place.x - 1.0
                        && right <= place.x + place.width + 1.0
                        && top >= place.y - 1.0
                        && bottom <= place.y + place.height + 1.0,
                    "{name}, {rotate}: {left} {top} {right} {bottom} is not within {place:?}"
                );
                assert!(right > place.x + place.width - 6.0, "at the right: {right}");
                assert!(
                    right - left > 3.0 * (bottom - top),
                    "upright: {left} {top} {right} {bottom}"
                );
            }
            let read = text(&sealed);
            assert!(read.contains(words.1) && read.contains(words.2), "{read}");
            assert!(verify(&sealed, &HOUSE.roots(), now()).holds_strictly());
            all.push(sealed);
        }
    }
    let files: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    for (number, complaints) in judges::complaints_of(&files, &HOUSE.root.certificate_pem())
        .iter()
        .enumerate()
    {
        assert!(complaints.is_empty(), "file {number}: {}", complaints.join("\n"));
    }
}

#[test]
fn a_mark_keeps_away_from_fields_and_is_left_out_where_no_corner_is_free() {
    let size = PageSize {
        width_points: 595.0,
        height_points: 842.0,
    };
    let place = |taken: &[Placement]| {
        in_corner(1, &size, "Sealed", Language::En, taken).map(|mark| {
            let place = displayed_box(&size, &mark.placement);
            (place.x > 300.0, place.y > 400.0)
        })
    };
    let (bottom_right, bottom_left) = (percent(90, 95, 5, 3), percent(10, 95, 5, 3));
    let (top_right, top_left) = (percent(90, 2, 5, 3), percent(10, 2, 5, 3));
    let mut taken = Vec::new();
    for (field, expected) in [
        (bottom_right, (true, true)),
        (bottom_left, (false, true)),
        (top_right, (true, false)),
        (top_left, (false, false)),
    ] {
        assert_eq!(place(&taken), Some(expected));
        taken.push(field);
    }
    assert_eq!(place(&taken), None);
    // A page that is too small gets no mark.
    let tiny = PageSize {
        width_points: 60.0,
        height_points: 40.0,
    };
    assert_eq!(in_corner(1, &tiny, "Sealed", Language::En, &[]), None);
}

#[test]
fn a_mark_on_a_file_that_others_signed_breaks_none_of_their_signatures() {
    for references in [References::Table, References::Stream] {
        let signed = signed_by_others(&unsigned(references), &HOUSE.key);
        let size = displayed_size(&unsigned(references));
        let (details, _) = marked(&size, &[], false, WORDS[0]);
        let sealed = seal(&signed, &HOUSE.key, &details).expect("sealed");
        assert!(text(&sealed).contains("문서 번호 1042"));
        let complaints = judges::complaints(&sealed, &HOUSE.root.certificate_pem());
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        assert!(verify(&sealed, &HOUSE.roots(), now()).holds_strictly());
    }
}
