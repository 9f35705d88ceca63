//! Tests of texts in boxes and columns: texts that fit, are clipped or are refused.

use super::*;

/// Lays out a text that is not in cells, and returns its only part.
fn in_box(fonts: &Fonts, text: &str, style: &TextStyle, width: f32, height: f32) -> Result<Lines, TextFault> {
    let laid_out = super::in_box(fonts, text, style, width, height)?;
    Ok(laid_out.parts.into_iter().next().expect("not empty").1)
}

fn fonts() -> Fonts {
    Fonts::embedded().expect("the embedded fonts load")
}

fn style(size: f32) -> TextStyle {
    TextStyle {
        size: Some(size),
        ..TextStyle::default()
    }
}

#[test]
fn the_largest_size_that_fits_is_found_in_few_tries() {
    for (size, floor) in [(72.0_f32, 6.0_f32), (12.0, 6.0), (11.8, 6.0), (6.5, 6.0), (4.0, 4.0)] {
        let mut sizes = vec![size];
        while sizes.last().is_some_and(|last| *last > floor) {
            sizes.push((sizes[sizes.len() - 1] - 0.5).max(floor));
        }
        for expected in &sizes {
            let mut tries = 0;
            let found = largest_fitting(size, floor, |tried| {
                tries += 1;
                (tried <= expected + 0.001).then_some(tried)
            });
            let found = found.expect("one fits");
            assert!((found - expected).abs() < 0.001, "{found} is not {expected}");
            assert!(tries <= 10, "{tries} tries from {size} to {expected}");
        }
        let mut tries = 0;
        let none = largest_fitting(size, floor, |_| {
            tries += 1;
            None::<()>
        });
        assert!(none.is_none() && tries <= 2, "{tries}");
    }
}

#[test]
fn what_fits_keeps_its_size() {
    let lines = in_box(&fonts(), "홍길동", &style(11.0), 200.0, 20.0).expect("fits");
    assert!((lines.size - 11.0).abs() < f32::EPSILON);
    assert_eq!(lines.count(), 1);
}

#[test]
fn without_a_size_the_box_decides() {
    let fonts = fonts();
    let small = in_box(&fonts, "홍길동", &TextStyle::default(), 200.0, 10.0).expect("fits");
    assert!((small.size - 8.0).abs() < 0.001, "{}", small.size);
    let large = in_box(&fonts, "홍길동", &TextStyle::default(), 200.0, 200.0).expect("fits");
    assert!((large.size - LARGEST_AUTOMATIC).abs() < f32::EPSILON);
}

#[test]
fn a_long_line_shrinks_to_its_box() {
    let fonts = fonts();
    let text = "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine";
    let lines = in_box(&fonts, text, &style(12.0), 200.0, 20.0).expect("fits when smaller");
    assert!(lines.size < 12.0 && lines.size >= SMALLEST, "{}", lines.size);
    assert!(lines.width() <= 200.0 - 2.0 * PADDING + SLACK, "{}", lines.width());
}

#[test]
fn a_prefill_of_125_characters_in_a_large_font_is_set_smaller_or_refused() {
    let fonts = fonts();
    let text = "가".repeat(125);
    assert_eq!(
        in_box(&fonts, &text, &style(24.0), 200.0, 20.0).err(),
        Some(TextFault::DoesNotFit)
    );
    let fitting = in_box(&fonts, &text, &style(24.0), 300.0, 120.0).expect("fits on many lines");
    assert!(fitting.count() > 1 && fitting.height() <= 120.0 - 2.0 * PADDING + SLACK);
}

#[test]
fn line_breaks_hold_where_two_lines_fit_and_are_spaces_elsewhere() {
    let fonts = fonts();
    assert_eq!(
        in_box(&fonts, "서울\r\n부산", &style(10.0), 200.0, 60.0)
            .expect("fits")
            .count(),
        2
    );
    assert_eq!(
        in_box(&fonts, "서울\n부산", &style(10.0), 200.0, 20.0)
            .expect("fits")
            .count(),
        1
    );
}

#[test]
fn a_word_wider_than_its_box_is_broken() {
    let fonts = fonts();
    let hash = "0123456789abcdef".repeat(8);
    let lines = in_column(&fonts, &hash, &TextStyle::default(), 8.0, Some(120.0)).expect("drawable");
    assert!(lines.count() > 3, "{}", lines.count());
    assert!(lines.width() <= 120.0 + SLACK, "{}", lines.width());
}

#[test]
fn missing_characters_are_named() {
    let fault = in_box(&fonts(), "서명 𓀀", &style(10.0), 200.0, 20.0).expect_err("no hieroglyphs");
    assert_eq!(
        fault,
        TextFault::MissingCharacters {
            characters: vec!['𓀀']
        }
    );
    assert!(fault.to_string().contains("U+13000"), "{fault}");
}

#[test]
fn hangul_falls_back_from_the_japanese_first_font() {
    let fonts = fonts();
    let japanese = TextStyle {
        language: Language::Ja,
        ..style(10.0)
    };
    let lines = in_box(&fonts, "山田と김민준", &japanese, 200.0, 20.0).expect("fits");
    let faces: std::collections::BTreeSet<u64> = lines
        .layout
        .lines()
        .flat_map(|line| line.runs().map(|run| run.font().data.id()).collect::<Vec<_>>())
        .collect();
    assert_eq!(faces.len(), 2, "kana and Han from one font, Hangul from another");
}

#[test]
fn a_text_that_runs_from_right_to_left_begins_at_the_right() {
    let fonts = fonts();
    let line = |text: &str, alignment| {
        let lines = in_box(
            &fonts,
            text,
            &TextStyle {
                alignment,
                ..style(10.0)
            },
            100.0,
            20.0,
        )
        .expect("fits");
        let line = lines.layout.lines().next().expect("a line");
        (lines.layout.is_rtl(), line.metrics().offset)
    };
    for text in ["שלום", "محمد", "  (محمد) ABC", "١٢ محمد"] {
        let (rtl, offset) = line(text, Alignment::Start);
        assert!(rtl && offset > 30.0, "{text}: {rtl} {offset}");
        assert!(line(text, Alignment::Left).1.abs() < 0.01, "{text}");
    }
    for text in ["Ali محمد", "12", "김민준 שלום"] {
        let (rtl, offset) = line(text, Alignment::Start);
        assert!(!rtl && offset.abs() < 0.01, "{text}: {rtl} {offset}");
    }
}

#[test]
fn arabic_letters_are_joined_and_drawn_from_the_right() {
    let lines = in_box(&fonts(), "سلام", &style(10.0), 100.0, 20.0).expect("fits");
    let line = lines.layout.lines().next().expect("a line");
    let run = line.runs().next().expect("a run");
    // In drawing order, the last letter is first. Lam and alef are one glyph.
    let drawn: Vec<usize> = run
        .visual_clusters()
        .filter(|cluster| !cluster.is_ligature_continuation())
        .map(|cluster| cluster.text_range().start)
        .collect();
    assert!(drawn.is_sorted_by(|a, b| a > b), "{drawn:?}");
    let alone: Vec<_> = ["س", "ل", "ا", "م"]
        .map(|letter| {
            in_box(&fonts(), letter, &style(10.0), 100.0, 20.0)
                .expect("fits")
                .width()
        })
        .to_vec();
    assert!(
        lines.width() < alone.iter().sum::<f32>() * 0.9,
        "{} {alone:?}",
        lines.width()
    );
}

fn cells(text: &str, alignment: Alignment, cells: u32) -> Result<Vec<(f32, String)>, TextFault> {
    let style = TextStyle {
        place: Some(TextPlace::Cells(cells)),
        alignment,
        ..TextStyle::default()
    };
    let laid_out = super::in_box(&fonts(), text, &style, 20.0 * 5.0, 20.0)?;
    let middle = |(left, lines): &(f32, Lines)| (left + lines.width() / 2.0, lines.text.clone());
    Ok(laid_out.parts.iter().map(middle).collect())
}

#[test]
fn each_character_stands_in_the_middle_of_its_cell() {
    let assert_at = |text: &str, alignment, expected: &[(f32, &str)]| {
        let found = cells(text, alignment, 5).expect("fits");
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((at, character), (place, expected)) in found.iter().zip(expected) {
            assert!((at - place).abs() < 0.01 || *expected == " ", "{character} at {at}");
            assert_eq!(character, expected);
        }
    };
    assert_at("1김W", Alignment::Start, &[(10.0, "1"), (30.0, "김"), (50.0, "W")]);
    assert_at("1 3", Alignment::Right, &[(50.0, "1"), (70.0, " "), (90.0, "3")]);
    assert_at("שלו", Alignment::Start, &[(90.0, "ש"), (70.0, "ל"), (50.0, "ו")]);
    assert_eq!(cells("123456", Alignment::Start, 5), Err(TextFault::DoesNotFit));
}

#[test]
fn outlines_lie_within_the_box_and_are_as_many_as_the_glyphs() {
    let laid_out = super::in_box(&fonts(), "계약 A", &style(10.0), 100.0, 20.0).expect("fits");
    let outline = laid_out.outline();
    assert!(outline.path.starts_with('m'), "{}", outline.path);
    assert!(
        outline.path.chars().all(|c| "mlqcz-. 0123456789".contains(c)),
        "{}",
        outline.path
    );
    let contours = outline.path.matches('m').count();
    assert_eq!(contours, outline.path.matches('z').count());
    assert!(contours >= 6, "{contours}");
}

#[test]
fn alignment_moves_a_line_within_its_box() {
    let fonts = fonts();
    let offset = |alignment| {
        let lines = in_box(
            &fonts,
            "12",
            &TextStyle {
                alignment,
                ..style(10.0)
            },
            100.0,
            20.0,
        )
        .expect("fits");
        let line = lines.layout.lines().next().expect("a line");
        line.metrics().offset
    };
    let (left, centre, right) = (
        offset(Alignment::Left),
        offset(Alignment::Center),
        offset(Alignment::Right),
    );
    assert!(left.abs() < 0.01, "{left}");
    assert!((centre - right / 2.0).abs() < 0.01, "{centre} {right}");
    assert!(right > 80.0, "{right}");
}

fn width(fonts: &Fonts, text: &str) -> f32 {
    set(fonts, text.to_owned(), &style(20.0), 20.0, None).width()
}

/// Letters above, below or inside others need no additional width, and joined letters are narrower than separate ones.
#[test]
fn the_letters_of_each_script_are_shaped_together() {
    let fonts = fonts();
    for (script, together, apart) in [
        ("Thai marks", "ที่", &["ท"][..]),
        ("Thai marks in order", "ปั้น", &["ป", "น"]),
        ("Lao marks", "ສົ້", &["ສ"]),
        ("Khmer subscript", "ក្ត", &["ក"]),
        ("Burmese stack", "က္က", &["က"]),
        ("Devanagari half form", "क्य", &["क", "य"]),
        ("Gujarati half form", "ક્ય", &["ક", "ય"]),
        ("Bengali conjunct", "ক্ত", &["ক", "ত"]),
        ("Gurmukhi subscript", "ਪ੍ਰ", &["ਪ"]),
        ("Telugu subscript", "క్త", &["క", "త"]),
        ("Kannada subscript", "ಕ್ತ", &["ಕ", "ತ"]),
        ("Malayalam conjunct", "ക്ക", &["ക", "ക"]),
        ("Sinhala joiner", "ක්‍ර", &["ක", "ර"]),
        ("Tamil ligature", "ஸ்ரீ", &["ஸ்", "ரீ"]),
        ("Arabic letters that join", "محمد", &["م", "ح", "م", "د"]),
        ("Hebrew points", "שָׁ", &["ש"]),
    ] {
        let (together, apart): (f32, f32) = (
            width(&fonts, together),
            apart.iter().map(|letter| width(&fonts, letter)).sum(),
        );
        let difference = together - apart;
        let is_shaped = if script.contains("join") && !script.contains("joiner") {
            difference.abs() > 0.5
        } else if script.contains("mark") || script.contains("points") {
            difference.abs() < 0.2
        } else {
            difference < 0.2
        };
        assert!(is_shaped, "{script}: {together} of {apart}");
    }
}

#[test]
fn what_runs_from_right_to_left_keeps_its_numbers_and_latin_words() {
    let fonts = fonts();
    for (text, is_rtl) in [("דוד כהן 123", true), ("محمد Smith 42", true), ("Dr. דוד 7", false)] {
        let lines = set(&fonts, text.to_owned(), &style(12.0), 12.0, None);
        assert_eq!(lines.layout.is_rtl(), is_rtl, "{text}");
        let line = lines.layout.get(0).expect("a line");
        let numbers: Vec<bool> = line
            .runs()
            .filter(|run| text[run.text_range()].contains(|c: char| c.is_ascii_digit()))
            .map(|run| run.is_rtl())
            .collect();
        assert!(
            !numbers.is_empty() && numbers.iter().all(|is_rtl| !is_rtl),
            "{text}: {numbers:?}"
        );
    }
}
