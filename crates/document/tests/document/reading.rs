//! Compares our page text with Poppler's.

use std::path::Path;
use std::process::Command;

use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pages::text_layer::{PageText, TextLine, Word, page_texts};
use document::text::layout::TextStyle;
use domain::field::Placement;
use domain::language::Language;
use domain::template::PageSize;
use lopdf::{Object, Stream, dictionary};
use testkit::demo::{employment_contract, non_disclosure_agreement};

use crate::certificates::content;
use crate::pages::{PageForm, document_of, page_file};
use crate::stamping::FONTS;

/// Returns a page's text as read by Poppler, without white space.
fn poppler_text(file: &Path, page: u32) -> String {
    let page = page.to_string();
    let output = Command::new("pdftotext")
        .args(["-enc", "UTF-8", "-cropbox", "-f", &page, "-l", &page])
        .arg(file)
        .arg("-")
        .output()
        .expect("pdftotext can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    without_space(&String::from_utf8_lossy(&output.stdout))
}

fn without_space(text: &str) -> String {
    // Poppler adds direction marks to right-to-left text.
    let marks = |character: char| matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    text.chars()
        .filter(|character| !character.is_whitespace() && !character.is_control() && !marks(*character))
        .collect()
}

fn page_count(pdf: &[u8]) -> u32 {
    u32::try_from(document::pages::render::page_sizes(pdf).expect("readable").len()).expect("few")
}

fn file_of(pdf: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), pdf).expect("written");
    file
}

fn texts(pdf: &[u8]) -> Vec<PageText> {
    let all: Vec<u32> = (1..=page_count(pdf)).collect();
    page_texts(pdf, &all).expect("read")
}

#[test]
fn a_page_says_what_poppler_reads_in_three_languages() {
    let mut files = vec![
        ("contract", employment_contract(&FONTS).expect("drawn"), "ko"),
        ("agreement", non_disclosure_agreement(&FONTS).expect("drawn"), "en"),
    ];
    for language in Language::ALL {
        let names = ["김민준", "山田太郎", "José Müller"];
        let pdf = document::evidence::certificate::render(&content(language, &names, 40), &FONTS).expect("rendered");
        files.push(("certificate", pdf, language.code()));
    }
    for (name, pdf, language) in files {
        let file = file_of(&pdf);
        for (number, page) in (1..).zip(texts(&pdf)) {
            assert_eq!(
                without_space(&page.text()),
                poppler_text(file.path(), number),
                "{name} {language} {number}"
            );
            assert!(
                page.language.as_deref().is_some_and(|tag| tag.starts_with(language)),
                "{:?}",
                page.language
            );
        }
    }
}

/// Returns words with left, top, right and bottom in points of the displayed page.
fn poppler_words(pdf: &[u8]) -> Vec<(String, [f64; 4])> {
    let file = file_of(pdf);
    let output = Command::new("pdftotext")
        .args(["-bbox", "-cropbox"])
        .arg(file.path())
        .arg("-")
        .output()
        .expect("pdftotext can be run");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("<word "))
        .map(|line| {
            let number = |name: &str| {
                let (_, rest) = line.split_once(&format!("{name}=\"")).expect("a side");
                rest.split_once('"').expect("its end").0.parse().expect("a number")
            };
            let word = line.split_once('>').expect("a word").1.trim_end_matches("</word>");
            let word = word.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            (word, [number("xMin"), number("yMin"), number("xMax"), number("yMax")])
        })
        .collect()
}

/// Returns left, top, right and bottom of a word on the displayed page.
fn place(line: &TextLine, word: &Word) -> [f64; 4] {
    let (sin, cos) = f64::from(line.angle).to_radians().sin_cos();
    let corner = |along: f32, across: f32| {
        let (along, across) = (f64::from(along), f64::from(across));
        (
            f64::from(line.x) + along * cos - across * sin,
            f64::from(line.y) + along * sin + across * cos,
        )
    };
    let corners = [
        corner(word.1, 0.0),
        corner(word.1 + word.2, 0.0),
        corner(word.1, line.size),
        corner(word.1 + word.2, line.size),
    ];
    let across = corners.map(|(x, _)| x);
    let down = corners.map(|(_, y)| y);
    let least = |values: [f64; 4]| values.into_iter().fold(f64::INFINITY, f64::min);
    let most = |values: [f64; 4]| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    [least(across), least(down), most(across), most(down)]
}

#[test]
fn words_stand_where_poppler_finds_them() {
    let contract = employment_contract(&FONTS).expect("drawn");
    let first = &texts(&contract)[0];
    let found = poppler_words(&contract);
    let mut exact = 0;
    for line in &first.lines {
        for word in &line.words {
            let [left, top, right, bottom] = place(line, word);
            let text = word.0.trim();
            // We split words at Hangul and following marks, so Poppler's words are longer.
            let (whole, other) = found
                .iter()
                .find(|(whole, other)| {
                    whole.contains(text)
                        && left > other[0] - 2.0
                        && right < other[2] + 2.0
                        // Poppler uses the font's own ascent and descent.
                        && (f64::midpoint(top, bottom) - f64::midpoint(other[1], other[3])).abs() < 3.0
                })
                .unwrap_or_else(|| panic!("{text} is not at {left} {top}"));
            exact += usize::from(whole == text && (left - other[0]).abs() < 2.0 && (right - other[2]).abs() < 2.0);
        }
    }
    assert!(exact > 150, "{exact}");
}

#[test]
fn words_stand_in_their_places_on_pages_that_are_turned_cropped_and_scaled() {
    for rotate in [0, 90, 180, 270] {
        for (form, unit) in [(PageForm::CROPPED, 1.0), (PageForm::PLAIN, 2.0)] {
            let form = PageForm {
                rotate,
                user_unit: unit,
                ..form
            };
            let pdf = page_file(form);
            let size = document::pages::render::page_sizes(&pdf).expect("readable")[0];
            let placement = Placement {
                x: 300_000,
                y: 400_000,
                width: 400_000,
                height: 60_000,
            };
            let mark = Mark {
                page: 1,
                placement,
                content: MarkContent::Text {
                    text: "stamped 값".to_owned(),
                    style: TextStyle::default(),
                },
            };
            let stamped = stamp(&pdf, &FONTS, &[mark]).expect("stamped");
            let page = texts(&stamped).remove(0);
            let line = page
                .lines
                .iter()
                .find(|line| line.words.iter().any(|word| word.0.starts_with("stamped")))
                .unwrap_or_else(|| panic!("{form:?}: {}", page.text()));
            assert!(line.angle.abs() < 0.01, "{form:?}");
            assert_eq!(
                line.words.iter().map(|word| word.0.as_str()).collect::<String>(),
                "stamped 값"
            );
            let [left, top, ..] = place(line, &line.words[0]);
            let (x, y) = (0.3 * size.width_points, 0.4 * size.height_points);
            let height = 0.06 * size.height_points;
            // Two points inside the box's left edge, and between its top and bottom.
            assert!((left - x - 2.0).abs() < 1.5, "{form:?}: {left} is not at {x}");
            assert!(
                top > y - 1.0 && top + f64::from(line.size) < y + height + 1.0,
                "{form:?}"
            );
        }
    }
}

/// A page of 600 by 800 points with the given content.
fn drawn(content: &str) -> Vec<u8> {
    let form = PageForm {
        media: [0, 0, 600, 800],
        ..PageForm::PLAIN
    };
    let content = content.to_owned();
    document_of(form, |document, page| {
        let stream = document.add_object(Stream::new(dictionary! {}, content.into_bytes()));
        page.set("Contents", Object::Reference(stream));
    })
}

fn show(size: f64, x: f64, y: f64, text: &str) -> String {
    format!("BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

fn lines_of(pdf: &[u8]) -> Vec<String> {
    let page = texts(pdf).remove(0);
    page.text().lines().map(str::to_owned).collect()
}

#[test]
fn columns_of_prose_are_read_one_after_the_other_whatever_is_drawn_first() {
    let words = "lorem ipsum dolor sit amet consectetur adipis";
    let mut rows = Vec::new();
    for number in 0..12 {
        let y = 700.0 - 14.0 * f64::from(number);
        rows.push(show(10.0, 40.0, y, &format!("L{number} {words}")));
        rows.push(show(10.0, 320.0, y, &format!("R{number} {words}")));
    }
    rows.reverse();
    let content = format!(
        "{}{}",
        rows.concat(),
        show(18.0, 40.0, 740.0, "A title that runs across both columns of it all")
    );
    let read = lines_of(&drawn(&content));
    let begins: Vec<&str> = read
        .iter()
        .map(|line| line.split(' ').next().expect("a word"))
        .collect();
    let expected: Vec<String> = std::iter::once("A".to_owned())
        .chain((0..12).map(|number| format!("L{number}")))
        .chain((0..12).map(|number| format!("R{number}")))
        .collect();
    assert_eq!(begins, expected);
}

#[test]
fn a_table_is_read_row_by_row_and_a_cell_of_several_lines_as_one() {
    let mut content = String::new();
    for (row, y) in [(1, 700.0), (2, 640.0)] {
        content += &show(10.0, 40.0, y, &format!("time {row}"));
        content += &show(10.0, 200.0, y, &format!("event {row}"));
        content += &show(10.0, 200.0, y - 12.0, &format!("of row {row}"));
        content += &show(10.0, 400.0, y, &format!("who {row}"));
    }
    for row in 3..7 {
        let y = 660.0 - 25.0 * f64::from(row);
        content += &show(10.0, 40.0, y, &format!("label {row}"));
        content += &show(10.0, 200.0, y, &format!("value {row}"));
    }
    let read = lines_of(&drawn(&content));
    let expected = [
        "time 1", "event 1", "of row 1", "who 1", "time 2", "event 2", "of row 2", "who 2", "label 3", "value 3",
        "label 4", "value 4", "label 5", "value 5", "label 6", "value 6",
    ];
    assert_eq!(read, expected);
}

#[test]
fn what_is_drawn_twice_is_read_once_and_pieces_of_a_line_are_one_line() {
    let mut content = String::new();
    // Filled and stroked, then drawn again slightly offset to look bold.
    content += "2 Tr\n";
    content += &show(12.0, 40.0, 700.0, "Heading one");
    content += "0 Tr\n";
    content += &show(12.0, 40.0, 650.0, "Heading two");
    content += &show(12.0, 40.4, 650.0, "Heading two");
    // Words are drawn individually, the last one first, separated only by distance.
    content += &show(12.0, 72.0, 600.0, "world");
    content += &show(12.0, 40.0, 600.0, "Hello");
    // A number raised above the line.
    content += &show(12.0, 40.0, 550.0, "Note");
    content += &show(7.0, 65.6, 555.0, "1");
    let read = lines_of(&drawn(&content));
    assert_eq!(read, ["Heading one", "Heading two", "Hello world", "Note1"]);
}

#[test]
fn text_that_is_not_painted_is_read_and_text_beside_the_page_is_not() {
    let content = format!(
        "3 Tr\n{}0 Tr\n{}",
        show(12.0, 40.0, 700.0, "recognised by a scanner"),
        show(12.0, 700.0, 650.0, "beside the page"),
    );
    assert_eq!(lines_of(&drawn(&content)), ["recognised by a scanner"]);
    assert_eq!(lines_of(&drawn("0 0 100 100 re f")), Vec::<String>::new());
}

#[test]
fn replacement_text_stands_for_what_is_drawn() {
    let content = format!(
        "/Span << /ActualText (fi) >> BDC\n{}EMC\n",
        show(12.0, 40.0, 700.0, "xy")
    );
    assert_eq!(lines_of(&drawn(&content)), ["fi"]);
}

#[test]
fn codes_that_a_font_does_not_explain_are_read_by_its_encoding() {
    let font = |encoding: &str, ordering: &str, to_unicode: Option<&str>| {
        document_of(PageForm::PLAIN, |document, page| {
            let system = dictionary! {
                "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal(ordering),
                "Supplement" => 1,
            };
            let descendant = document.add_object(dictionary! {
                "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "Any", "CIDSystemInfo" => system, "DW" => 1000,
            });
            let mut font = dictionary! {
                "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Any", "Encoding" => encoding,
                "DescendantFonts" => vec![descendant.into()],
            };
            if let Some(name) = to_unicode {
                font.set("ToUnicode", Object::Name(name.as_bytes().to_vec()));
            }
            let font = document.add_object(font);
            page.set(
                "Resources",
                dictionary! { "Font" => dictionary! { "F2" => Object::Reference(font) } },
            );
            let content = b"BT /F2 20 Tf 20 200 Td <AC00B098> Tj ET".to_vec();
            let stream = document.add_object(Stream::new(dictionary! {}, content));
            page.set("Contents", Object::Reference(stream));
        })
    };
    for (encoding, ordering, to_unicode) in [
        ("UniKS-UCS2-H", "Korea1", None),
        ("UniKS-UTF16-H", "Korea1", None),
        ("Identity-H", "Identity", Some("Identity-H")),
    ] {
        assert_eq!(lines_of(&font(encoding, ordering, to_unicode)), ["가나"], "{encoding}");
    }
    // The meaning of these codes is undefined.
    assert_eq!(lines_of(&font("Identity-H", "Identity", None)), Vec::<String>::new());
}

#[test]
fn text_that_goes_up_the_page_is_read_after_the_rest_and_has_its_angle() {
    let content = format!(
        "BT /F1 12 Tf 0 1 -1 0 50 300 Tm (upwards) Tj ET\n{}",
        show(12.0, 100.0, 700.0, "as usual and longer"),
    );
    let page = texts(&drawn(&content)).remove(0);
    assert_eq!(page.text(), "as usual and longer\nupwards\n");
    assert!((page.lines[1].angle + 90.0).abs() < 0.01);
    let [left, top, right, bottom] = place(&page.lines[1], &page.lines[1].words[0]);
    assert!((bottom - 500.0).abs() < 1.0 && top < 470.0, "{top} {bottom}");
    assert!(left < 50.0 && right > 50.0 && right - left < 13.0, "{left} {right}");
}

#[test]
fn right_to_left_words_are_in_the_order_in_which_they_are_spoken() {
    for text in ["שלום עולם", "مرحبا بالعالم", "المادة 12 من العقد"] {
        let mark = Mark {
            page: 1,
            placement: Placement {
                x: 100_000,
                y: 100_000,
                width: 800_000,
                height: 100_000,
            },
            content: MarkContent::Text {
                text: text.to_owned(),
                style: TextStyle::default(),
            },
        };
        let Ok(stamped) = stamp(drawn(""), &FONTS, &[mark]) else {
            assert!(
                !FONTS.missing_characters(text).is_empty(),
                "{text} has glyphs and cannot be stamped"
            );
            continue;
        };
        let page = texts(&stamped).remove(0);
        assert!(page.lines.iter().all(|line| line.right_to_left));
        assert_eq!(page.text().trim(), text);
    }
}

#[test]
fn a_dense_page_is_read_whole_and_a_monstrous_one_is_cut() {
    let line = "0123456789".repeat(10);
    let page = |lines: u32| -> String {
        (0..lines)
            .map(|number| show(4.0, 20.0, 790.0 - 780.0 * f64::from(number) / f64::from(lines), &line))
            .collect()
    };
    let dense = texts(&drawn(&page(100))).remove(0);
    assert_eq!(without_space(&dense.text()).len(), 10_000);
    let size = PageSize {
        width_points: 600.0,
        height_points: 800.0,
    };
    assert!(dense.is_sound(size));
    let cut = texts(&drawn(&page(1_200))).remove(0);
    assert!(without_space(&cut.text()).len() <= 100_000);
}

#[test]
fn what_a_child_must_not_answer_is_not_sound() {
    let size = PageSize {
        width_points: 600.0,
        height_points: 800.0,
    };
    let good = texts(&drawn(&show(12.0, 40.0, 700.0, "Hello world"))).remove(0);
    assert!(good.is_sound(size));
    let changed = |change: &dyn Fn(&mut PageText)| {
        let mut page = good.clone();
        change(&mut page);
        page.is_sound(size)
    };
    assert!(!changed(&|page| page.language = Some("en\"><script>".to_owned())));
    assert!(!changed(&|page| page.lines[0].x = f32::NAN));
    assert!(!changed(&|page| page.lines[0].y = 1e9));
    assert!(!changed(&|page| page.lines[0].angle = f32::INFINITY));
    assert!(!changed(&|page| page.lines[0].words[0].2 = -1e9));
    assert!(!changed(
        &|page| page.lines[0].words = vec![Word(String::new(), 0.0, 0.0); 100_001]
    ));
}

/// `COUNTERSIGN_CORPUS` names a folder of third-party PDFs. Poppler removes hyphens at line ends and reads text outside
/// the displayed page, such as printers' marks. So the test ignores hyphens, and for the book it only requires that
/// Poppler also reads what we read.
#[test]
fn corpus_pages_say_what_poppler_reads() {
    let Some(folder) = std::env::var_os("COUNTERSIGN_CORPUS") else {
        eprintln!("skipped: COUNTERSIGN_CORPUS does not name a folder of PDFs");
        return;
    };
    let mut equal = 0_u32;
    let mut shares = Vec::new();
    for name in ["japanese-guide", "paper-14-pages", "book-352-pages", "us-tax-form-1040"] {
        let path = Path::new(&folder).join(format!("real/{name}.pdf"));
        let Ok(pdf) = std::fs::read(&path) else {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        };
        let pages = page_count(&pdf);
        for page in (1..=pages).step_by(usize::try_from(pages.div_ceil(14)).expect("few")) {
            let read = without_space(&page_texts(&pdf, &[page]).expect("read")[0].text()).replace('-', "");
            let judge = poppler_text(&path, page).replace('-', "");
            let is_cropped = name.starts_with("book");
            let share = common_share(&read, &judge, !is_cropped);
            // Compares all letters. Poppler mixes up the brackets of two adjacent headings.
            if name.starts_with("japanese") {
                assert!(
                    only_in(&read, &judge).is_empty() && only_in(&judge, &read).is_empty(),
                    "{read}"
                );
            }
            equal += u32::from(read == judge);
            let (mine, theirs) = (only_in(&read, &judge), only_in(&judge, &read));
            println!(
                "{name} {page}: {:.1} % of {} letters, only here {mine:?}, only there {theirs:?}",
                share * 100.0,
                judge.chars().count(),
            );
            shares.push(share);
        }
    }
    if !shares.is_empty() {
        let mean = shares.iter().sum::<f64>() / f64::from(u32::try_from(shares.len()).expect("few"));
        println!(
            "{equal} of {} pages are equal; {:.2} % on average",
            shares.len(),
            mean * 100.0
        );
        assert!(mean > 0.995, "{mean}");
    }
}

/// Returns the letters that occur more often in one text than in the other, in any order.
fn only_in(one: &str, other: &str) -> String {
    let mut counts = std::collections::BTreeMap::<char, i64>::new();
    for character in other.chars() {
        *counts.entry(character).or_default() += 1;
    }
    let mut more = |character: &char| {
        let count = counts.entry(*character).or_default();
        *count -= 1;
        *count < 0
    };
    one.chars().filter(|character| more(character)).collect()
}

/// Returns the share of one text that also occurs in the other, in any order. With `both`, compares in both directions.
fn common_share(one: &str, other: &str, both: bool) -> f64 {
    let count = |text: &str| f64::from(u32::try_from(text.chars().count()).expect("few"));
    let missing = count(&only_in(one, other));
    let more = if both { count(&only_in(other, one)) } else { 0.0 };
    1.0 - missing.max(more) / count(one).max(1.0)
}
