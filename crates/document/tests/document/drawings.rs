//! Signatures and seals that we draw contain every letter, stay inside their box, and look the same when stamped as
//! when previewed.

use std::collections::BTreeSet;
use std::process::Command;

use document::marks::drawing::{DrawingFault, INK, SEAL_RED, figure, has_all};
use document::marks::stamp::{Mark, MarkContent, MarkFault, StampError, stamp};
use document::pdf::geometry::displayed_box;
use document::text::layout::TextFault;
use domain::drawing::{Drawing, Hand, Seal, SealShape};
use domain::language::Language;
use image::{GrayImage, RgbaImage};
use proptest::prelude::*;

use crate::judges::structure_complaints;
use crate::pages::{PageForm, bounds, ours, page_file, percent, poppler};
use crate::stamping::FONTS;

const PEOPLE: [&str; 9] = [
    "김민준",
    "남궁민수",
    "박서준",
    "김준",
    "山田 太郎",
    "佐藤",
    "五十嵐 さくら",
    "金敏俊",
    "Jane Doe",
];
const COMPANIES: [&str; 5] = [
    "주식회사 한빛",
    "한빛",
    "株式会社青空",
    "株式会社ブルースカイ・テクノロジーズ",
    "Blue Sky Ltd.",
];

fn typed(text: &str, hand: Hand) -> Drawing {
    let text = text.to_owned();
    Drawing::Typed { text, hand }
}

fn seal(shape: SealShape, name: &str, title: &str) -> Drawing {
    Drawing::Seal(Seal {
        shape,
        name: name.to_owned(),
        title: title.to_owned(),
    })
}

/// Everything offered for the sample names: each handwriting font that covers the name, and every seal.
fn samples() -> Vec<Drawing> {
    let hands = |name: &'static str| {
        let knowing = Hand::ALL.into_iter().filter(move |hand| has_all(*hand, name));
        knowing.map(move |hand| typed(name, hand))
    };
    let seals = PEOPLE.into_iter().flat_map(Seal::of_person);
    let company_seals = COMPANIES
        .into_iter()
        .flat_map(|name| Seal::of_company(name, "", Language::Ko));
    PEOPLE
        .into_iter()
        .flat_map(hands)
        .chain(seals.chain(company_seals).map(Drawing::Seal))
        .collect()
}

/// Number of contours in the SVG of a drawing.
fn contours(drawing: &Drawing) -> usize {
    let svg = figure(drawing).expect("drawn").svg();
    svg.split("d=\"").nth(1).expect("a path").matches('m').count()
}

/// Returns all coordinates of the path, replayed from its relative commands.
fn path_points(svg: &str) -> Vec<(f64, f64)> {
    let path = svg
        .split(" d=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a path");
    let mut points = Vec::new();
    let (mut at, mut start) = ((0.0, 0.0), (0.0, 0.0));
    let mut commands: Vec<(char, String)> = Vec::new();
    for character in path.chars() {
        if character.is_ascii_alphabetic() {
            commands.push((character, String::new()));
        } else if let Some((_, numbers)) = commands.last_mut() {
            numbers.push(character);
        }
    }
    for (command, text) in commands {
        let numbers: Vec<f64> = text
            .replace('-', " -")
            .split_ascii_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert_eq!(
            numbers.len(),
            match command {
                'm' | 'l' => 2,
                'q' => 4,
                'c' => 6,
                _ => 0,
            },
            "{command}{text}"
        );
        if command == 'z' {
            at = start;
        }
        for pair in numbers.chunks_exact(2) {
            points.push((at.0 + pair[0], at.1 + pair[1]));
        }
        at = points.last().copied().filter(|_| command != 'z').unwrap_or(at);
        if command == 'm' {
            start = at;
        }
    }
    points
}

fn size_of(svg: &str) -> (f64, f64) {
    let side = |name: &str| {
        let text = svg
            .split(&format!("{name}=\""))
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        text.and_then(|text| text.parse().ok()).expect("a size")
    };
    (side("width"), side("height"))
}

fn assert_inside(svg: &str, what: &str) {
    let (width, height) = size_of(svg);
    let points = path_points(svg);
    assert!(!points.is_empty(), "{what}");
    for (x, y) in points {
        assert!(
            (-0.02..=width + 0.02).contains(&x) && (-0.02..=height + 0.02).contains(&y),
            "{what}: {x}, {y} lies outside of {width} by {height}"
        );
    }
}

fn any_drawing() -> impl Strategy<Value = Drawing> {
    let name = prop_oneof![
        "\\PC{0,30}",
        "[가-힣]{1,12}",
        "[一-龠ぁ-んァ-ヶー]{1,16}",
        "[A-Za-zÀ-ž .'-]{1,30}",
        any::<String>(),
    ];
    let hand = prop::sample::select(Hand::ALL.to_vec());
    let shape = prop::sample::select(SealShape::ALL.to_vec());
    prop_oneof![
        (name.clone(), hand).prop_map(|(text, hand)| typed(&text, hand)),
        (name.clone(), name, shape).prop_map(|(name, title, shape)| seal(shape, &name, &title)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_drawn_within_its_box_or_refused_by_its_letters(drawing in any_drawing()) {
        let Ok(drawing) = drawing.checked() else { return Ok(()) };
        let words = match &drawing {
            Drawing::Typed { text, .. } => text.clone(),
            Drawing::Seal(seal) => format!("{}{}", seal.name, seal.title),
        };
        match figure(&drawing) {
            Ok(figure) => assert_inside(&figure.svg(), &words),
            Err(DrawingFault::Text(TextFault::MissingCharacters { characters })) => {
                prop_assert!(!characters.is_empty());
                for character in characters {
                    prop_assert!(words.contains(character), "{character:?} is not in {words:?}");
                }
            }
            Err(other) => prop_assert!(false, "{words:?}: {other}"),
        }
    }

    #[test]
    fn every_letter_of_a_seal_is_drawn(name in "[가-힣一-龠ぁ-んァ-ヶ]{2,9}") {
        let rim = 2;
        let letter = |letter: char| figure(&seal(SealShape::Square, &letter.to_string(), ""));
        let letters: Result<Vec<_>, _> = name.chars().map(letter).collect();
        let whole = figure(&seal(SealShape::Square, &name, ""));
        prop_assert_eq!(letters.is_ok(), whole.is_ok());
        if whole.is_ok() {
            let expected: usize = name
                .chars()
                .map(|letter| contours(&seal(SealShape::Square, &letter.to_string(), "")) - rim)
                .sum();
            for shape in [SealShape::Square, SealShape::Round, SealShape::Oval] {
                prop_assert_eq!(contours(&seal(shape, &name, "")) - rim, expected);
            }
        }
    }
}

#[test]
fn the_sample_names_are_drawn_by_hands_and_in_seals_that_know_them() {
    for drawing in samples() {
        let svg = figure(&drawing)
            .unwrap_or_else(|fault| panic!("{drawing:?}: {fault}"))
            .svg();
        assert_inside(&svg, &format!("{drawing:?}"));
        assert!(svg.len() < 200_000, "{drawing:?}: {} bytes", svg.len());
    }
    let knowing = |name: &str| {
        Hand::ALL
            .into_iter()
            .filter(|hand| has_all(*hand, name))
            .collect::<Vec<_>>()
    };
    assert_eq!(knowing("김민준"), [Hand::NanumPen, Hand::Gaegu]);
    assert_eq!(knowing("山田 太郎"), [Hand::YujiSyuku, Hand::ZenKurenaido]);
    assert_eq!(knowing("Jane Doe"), Hand::ALL);
}

#[test]
fn a_letter_that_the_chosen_hand_lacks_comes_from_another() {
    let mixed = figure(&typed("김 Jane 山田", Hand::Caveat)).expect("drawn");
    assert_inside(&mixed.svg(), "mixed");
    let refused = figure(&typed("김𓀀 محمد", Hand::Caveat));
    assert!(
        matches!(&refused, Err(DrawingFault::Text(TextFault::MissingCharacters { characters })) if *characters == ['𓀀']),
        "{refused:?}"
    );
}

#[test]
fn a_name_that_is_one_stroke_does_not_fill_its_box() {
    for text in ["一", ".", "-"] {
        let (width, height) = size_of(&figure(&typed(text, Hand::YujiSyuku)).expect("drawn").svg());
        assert!(
            width / height > 0.4 && height / width > 0.4,
            "{text}: {width} by {height}"
        );
    }
}

/// Returns how dark each pixel is on white at a common small size.
fn darkness(picture: &GrayImage) -> GrayImage {
    image::imageops::resize(picture, 240, 240, image::imageops::FilterType::Triangle)
}

fn mean_difference(one: &GrayImage, other: &GrayImage) -> f64 {
    let sum: u64 = one
        .iter()
        .zip(other.iter())
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    #[expect(clippy::cast_precision_loss)]
    let mean = sum as f64 / one.len() as f64;
    mean
}

/// Returns a PNG with a transparent background as it appears on paper.
fn on_paper(png: &[u8]) -> GrayImage {
    let picture = image::load_from_memory(png).expect("a picture").into_rgba8();
    let paper = RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
        let image::Rgba([red, green, blue, alpha]) = *picture.get_pixel(x, y);
        let over = |colour: u8| {
            let alpha = u16::from(alpha);
            u8::try_from((u16::from(colour) * alpha + 255 * (255 - alpha)) / 255).expect("a byte")
        };
        image::Rgba([over(red), over(green), over(blue), 255])
    });
    image::DynamicImage::from(paper).into_luma8()
}

fn reported(tool: &str, pdf: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), pdf).expect("written");
    let output = Command::new(tool)
        .args(["-list"].iter().filter(|_| tool == "pdfimages"))
        .arg(file.path())
        .output();
    String::from_utf8(output.expect("runs").stdout).expect("text")
}

#[test]
fn what_is_stamped_is_vector_in_place_and_looks_like_the_picture() {
    let pdf = page_file(PageForm::PLAIN);
    for drawing in [
        typed("김민준", Hand::NanumPen),
        seal(SealShape::Square, "株式会社青空", "之印"),
        seal(SealShape::DoubleRing, "주식회사한빛", "대표이사"),
    ] {
        // Next to the content of the sample page.
        let placement = percent(55, 30, 40, 30);
        let content = MarkContent::Drawing(drawing.clone());
        let stamped = stamp(
            &pdf,
            &FONTS,
            &[Mark {
                page: 1,
                placement,
                content,
            }],
        )
        .expect("stamped");
        assert_eq!(structure_complaints(&stamped), Vec::<String>::new());
        assert_eq!(
            reported("pdfimages", &stamped).lines().count(),
            2,
            "no picture, only the head of the table"
        );
        let colour = if matches!(drawing, Drawing::Typed { .. }) {
            INK
        } else {
            SEAL_RED
        };
        let drawn = figure(&drawing).expect("drawn");
        let (width, height) = size_of(&drawn.svg());
        let size = document::pages::render::page_sizes(&stamped).expect("readable")[0];
        let place = displayed_box(&size, &placement);
        let scale = (place.width / width).min(place.height / height);
        let (left, top) = (
            place.x + (place.width - width * scale) / 2.0,
            place.y + (place.height - height * scale) / 2.0,
        );
        let expected = on_paper(&drawn.png().expect("a picture"));
        for page in [poppler(&stamped, 144), ours(&stamped, 144.0)] {
            let [shown_left, shown_top, shown_right, shown_bottom] = bounds(&page, &size, colour).expect("it shows");
            assert!(shown_left >= left - 1.0 && shown_top >= top - 1.0, "{drawing:?}");
            assert!(shown_right <= left + width * scale + 1.0, "{drawing:?}");
            assert!(shown_bottom <= top + height * scale + 1.0, "{drawing:?}");
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let pixel = |points: f64| (points * 2.0).round() as u32;
            let cut = image::imageops::crop_imm(
                &page,
                pixel(left),
                pixel(top),
                pixel(width * scale),
                pixel(height * scale),
            );
            let shown = image::DynamicImage::from(cut.to_image()).into_luma8();
            let difference = mean_difference(&darkness(&shown), &darkness(&expected));
            assert!(difference < 6.0, "{drawing:?}: {difference}");
        }
    }
}

#[test]
fn the_picture_is_a_png_with_a_transparent_ground() {
    let png = figure(&seal(SealShape::Round, "佐藤", ""))
        .expect("drawn")
        .png()
        .expect("a picture");
    assert_eq!(document::marks::picture::media_type(&png), Ok("image/png"));
    let picture = image::load_from_memory(&png).expect("a picture").into_rgba8();
    assert_eq!(picture.dimensions(), (1200, 1200));
    assert_eq!(picture.get_pixel(2, 2).0[3], 0, "the corner");
    let image::Rgba([red, green, blue, alpha]) = *picture.get_pixel(600, 20);
    assert_eq!(([red, green, blue], alpha), (SEAL_RED, 255), "the rim");
}

#[test]
fn a_drawing_that_cannot_be_made_is_refused_with_its_letters() {
    let pdf = page_file(PageForm::PLAIN);
    let content = MarkContent::Drawing(seal(SealShape::Round, "𓀀", ""));
    let placement = percent(20, 30, 40, 30);
    let refused = stamp(
        &pdf,
        &FONTS,
        &[Mark {
            page: 1,
            placement,
            content,
        }],
    );
    assert!(
        matches!(&refused, Err(StampError::Mark { index: 0, fault: MarkFault::Drawing(fault) }) if fault.to_string().contains('𓀀')),
        "{refused:?}"
    );
}

/// A signature is stored as its description. Changing a font, a shape or the layout code changes how existing unsealed
/// signatures look. Read decision 13 before you accept other checksums.
#[test]
fn the_same_description_gives_the_same_outlines_for_ever() {
    use sha2::Digest as _;
    let sums: Vec<String> = [
        typed("김민준", Hand::NanumPen),
        typed("김민준", Hand::Gaegu),
        typed("山田太郎", Hand::YujiSyuku),
        typed("山田太郎", Hand::ZenKurenaido),
        typed("Jane Doe", Hand::Caveat),
        typed("Jane Doe", Hand::DancingScript),
        seal(SealShape::Round, "김민준", "인"),
        seal(SealShape::Oval, "佐藤", ""),
        seal(SealShape::Square, "Jane Doe", ""),
        seal(SealShape::DoubleRing, "주식회사한빛", "대표이사"),
    ]
    .iter()
    .map(|drawing| hex::encode(&sha2::Sha256::digest(figure(drawing).expect("drawn").svg())[..8]))
    .collect();
    assert_eq!(sums.iter().collect::<BTreeSet<_>>().len(), sums.len());
    assert_eq!(
        sums,
        [
            "48b2be649b73ed2c",
            "e484fa320c9fad58",
            "bff00d46e3430afa",
            "a673c9529387f5c0",
            "238931581e640967",
            "e101d3cd21edf08d",
            "5c624442956c9b39",
            "a241530d3d2190ec",
            "d0906f80d2f736f9",
            "c0419426ae8a99ab",
        ]
    );
}
