//! Tests of the history certificate, read back by Poppler.

use std::process::Command;

use document::evidence::certificate::{
    Attachment, Card, CardPicture, CertificateContent, CertificateError, Column, EventTable, Look, PictureContent,
    QrAddress, Section, State, Tone, render,
};
use document::intake::{Limits, inspect};
use document::text::layout::TextFault;
use domain::drawing::{Drawing, Hand};
use domain::field::FieldKind;
use domain::language::Language;
use testkit::demo::{EMPLOYMENT_CONTRACT_FIELDS, employment_contract};

use crate::judges::structure_complaints;
use crate::pages::text;
use crate::samples::now;
use crate::stamping::FONTS;

pub fn content(language: Language, names: &[&str], events: usize) -> CertificateContent {
    let column = |title: &str, share| Column {
        title: title.to_owned(),
        share,
    };
    CertificateContent {
        language,
        issuer: "한빛상사".to_owned(),
        look: Look::default(),
        title: "전자서명 이력 증명서".to_owned(),
        subtitle: "근로계약서".to_owned(),
        state: State {
            text: "완료".to_owned(),
            tone: Tone::Good,
        },
        sections: vec![Section {
            heading: "문서".to_owned(),
            rows: vec![
                ("번호".to_owned(), "42".to_owned()),
                ("SHA-256".to_owned(), "0123456789abcdef".repeat(4)),
            ],
            cards: Vec::new(),
        }],
        events: EventTable {
            heading: "이력".to_owned(),
            columns: vec![
                column("시각", 2.0),
                column("사건", 1.0),
                column("사람", 2.0),
                column("주소", 2.0),
            ],
            rows: (0..events)
                .map(|number| {
                    let name = names.get(number % names.len().max(1)).copied().unwrap_or_default();
                    vec![
                        format!("2026-11-28 10:{:02}:{:02} (UTC+09:00)", number / 60, number % 60),
                        format!("event-{number}"),
                        name.to_owned(),
                        "203.0.113.7".to_owned(),
                    ]
                })
                .collect(),
        },
        notes: vec!["이 증명서는 봉인된 문서의 해시와 길이를 담고 있다.".to_owned()],
        qr: Some(QrAddress {
            address: "https://sign.example.com/verify".to_owned(),
            caption: "확인하기".to_owned(),
        }),
        footer: "Countersign".to_owned(),
        attachments: vec![Attachment {
            file_name: "chain.json".to_owned(),
            media_type: "application/json".to_owned(),
            description: "The audit chain".to_owned(),
            bytes: br#"{"entries":[]}"#.to_vec(),
        }],
        created: now(),
    }
}

/// A typed signature for a card.
pub fn signature(name: &str, words: &str) -> CardPicture {
    CardPicture {
        content: PictureContent::Drawing(Drawing::Typed {
            text: name.to_owned(),
            hand: Hand::NanumPen,
        }),
        words: words.to_owned(),
    }
}

fn page_count(pdf: &[u8]) -> usize {
    lopdf::Document::load_mem(pdf).expect("readable").page_iter().count()
}

#[test]
fn names_in_korean_japanese_and_chinese_are_shown_in_every_language() {
    for language in Language::ALL {
        let pdf = render(
            &content(language, &["김민준", "山田太郎", "张伟", "José Müller"], 4),
            &FONTS,
        )
        .expect("rendered");
        assert_eq!(structure_complaints(&pdf), Vec::<String>::new());
        let read = text(&pdf);
        for expected in [
            "김민준",
            "山田太郎",
            "张伟",
            "José Müller",
            "(UTC+09:00)",
            "203.0.113.7",
            "전자서명 이력 증명서",
        ] {
            assert!(read.contains(expected), "{language:?}: {expected} is not in:\n{read}");
        }
    }
}

#[test]
fn two_hundred_events_break_into_pages_and_each_is_there_once() {
    let pdf = render(&content(Language::Ko, &["김민준"], 200), &FONTS).expect("rendered");
    let pages = page_count(&pdf);
    assert!(pages > 3, "{pages} pages");
    let read = text(&pdf);
    let words: Vec<&str> = read.split_whitespace().collect();
    for number in 0..200 {
        let event = format!("event-{number}");
        assert_eq!(words.iter().filter(|word| **word == event).count(), 1, "{event}");
    }
    assert_eq!(
        read.matches("시각").count(),
        pages,
        "each page repeats the table's head"
    );
    assert!(
        read.replace(' ', "").contains(&format!("{pages}/{pages}")),
        "the last page is numbered"
    );
}

#[test]
fn long_names_and_long_values_wrap_and_lose_nothing() {
    let name = "Wolfeschlegelsteinhausenbergerdorff".repeat(3);
    let mut content = content(Language::En, &[&name], 3);
    // Taller than a page, with no space to break at.
    let long = "0123456789".repeat(1_500);
    content.sections[0].rows.push(("chain".to_owned(), long.clone()));
    let pdf = render(&content, &FONTS).expect("rendered");
    assert!(page_count(&pdf) > 1);
    // The page footer splits the text at a page break, so count digits rather than runs.
    let digits = |text: &str, digit: char| text.chars().filter(|found| *found == digit).count();
    let without = render(&self::content(Language::En, &[&name], 3), &FONTS).expect("rendered");
    let added = digits(&text(&pdf), '7') - digits(&text(&without), '7');
    assert_eq!(added, long.len() / 10);
    let read: String = text(&pdf).split_whitespace().collect();
    assert!(read.contains("Wolfeschlegel"));
}

#[test]
fn a_character_that_no_font_has_is_refused() {
    let refused = render(&content(Language::Ko, &["𓀀"], 1), &FONTS);
    assert_eq!(
        refused,
        Err(CertificateError::Text(TextFault::MissingCharacters {
            characters: vec!['𓀀']
        }))
    );
}

#[test]
fn the_chain_is_attached() {
    let pdf = render(&content(Language::Ko, &["김민준"], 1), &FONTS).expect("rendered");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("certificate.pdf");
    std::fs::write(&file, &pdf).expect("the file is written");
    let output = Command::new("qpdf")
        .arg("--show-attachment=chain.json")
        .arg(&file)
        .output()
        .expect("qpdf runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), r#"{"entries":[]}"#);
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    let content = content(Language::Ja, &["山田太郎"], 5);
    assert_eq!(render(&content, &FONTS), render(&content, &FONTS));
}

#[test]
fn the_demo_contract_has_two_pages_and_a_box_for_each_field() {
    let pdf = employment_contract(&FONTS).expect("drawn");
    assert_eq!(structure_complaints(&pdf), Vec::<String>::new());
    let taken = inspect(&pdf, &Limits::default()).expect("our own contract is taken");
    assert_eq!((taken.pages.len(), taken.changes.as_slice()), (2, &[][..]));
    let fields = domain::fields_file::parse(EMPLOYMENT_CONTRACT_FIELDS.as_bytes(), Some(2), domain::Region::Kr)
        .expect("a valid file");
    assert_eq!(fields.steps.len(), 2);
    let kinds: Vec<FieldKind> = fields.fields.iter().map(|field| field.kind).collect();
    for kind in [
        FieldKind::Text,
        FieldKind::Date,
        FieldKind::Seal,
        FieldKind::Check,
        FieldKind::Signature,
    ] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
    let read = text(&pdf);
    for article in 1..=12 {
        assert!(read.contains(&format!("제{article}조")), "article {article}");
    }
}

/// Korean, Japanese, Chinese or very long names and values must all appear on the certificate, and must not prevent it
/// from being created.
#[test]
fn thirty_writers_with_long_names_in_five_scripts_are_all_shown_with_two_hundred_events() {
    let mut names = vec![
        "김민준",
        "山田太郎",
        "张伟",
        "José Müller-Lüdenscheidt von und zu Hohenstein",
        "남궁선우황보제갈동방독고사공서문".repeat(4).leak(),
        "Wolfeschlegelsteinhausenbergerdorff".repeat(3).leak(),
    ];
    names.extend(
        ["محمد عبد الله", "דוד כהן"]
            .into_iter()
            .filter(|name| FONTS.missing_characters(name).is_empty()),
    );
    for language in Language::ALL {
        let mut content = content(language, &names, 200);
        content.sections.push(Section {
            heading: "작성자".to_owned(),
            cards: (0..30)
                .map(|number| Card {
                    mark: (number + 1).to_string(),
                    name: names[number % names.len()].to_owned(),
                    contact: format!("writer{number}@example.com"),
                    state: State {
                        text: format!("approved-{number} 2026-11-28 10:00:00 (UTC+09:00)"),
                        tone: Tone::Good,
                    },
                    rows: vec![
                        ("본인 확인".to_owned(), "Access code".to_owned()),
                        ("IP".to_owned(), format!("203.0.113.{number}")),
                        ("Consent".to_owned(), "0123456789abcdef".repeat(12)),
                        ("Browser".to_owned(), "Chrome 126 (Android)".to_owned()),
                    ],
                    pictures: Vec::new(),
                })
                .collect(),
            ..Section::default()
        });
        let pdf = render(&content, &FONTS).expect("rendered");
        assert_eq!(structure_complaints(&pdf), Vec::<String>::new());
        // Poppler adds direction marks to right-to-left text.
        let marks = |character: &char| matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
        let packed: String = text(&pdf)
            .chars()
            .filter(|character| !character.is_whitespace() && !marks(character))
            .collect();
        for name in &names {
            let name: String = name.split_whitespace().collect();
            assert!(
                packed.contains(&name) || packed.matches(&name[..6]).count() >= 5,
                "{language:?}: {name}"
            );
        }
        for number in 0..30 {
            assert!(
                packed.contains(&format!("approved-{number}2026")),
                "{language:?}: {number}"
            );
            assert!(
                packed.contains(&format!("writer{number}@example.com")),
                "{language:?}: {number}"
            );
        }
    }
}

/// Reads the QR code with an independent reader from an independently rendered picture.
#[test]
fn the_code_leads_to_the_verify_page() {
    let pdf = render(&content(Language::Ko, &["김민준"], 3), &FONTS).expect("rendered");
    let picture = crate::pages::poppler(&pdf, 150);
    let grey = image::DynamicImage::ImageRgb8(picture).into_luma8();
    let (width, height) = (grey.width() as usize, grey.height() as usize);
    let mut prepared = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
        grey.get_pixel(u32::try_from(x).expect("small"), u32::try_from(y).expect("small"))
            .0[0]
    });
    let found: Vec<String> = prepared
        .detect_grids()
        .iter()
        .filter_map(|grid| Some(grid.decode().ok()?.1))
        .collect();
    assert_eq!(found, ["https://sign.example.com/verify"]);
}

#[test]
fn a_signers_number_is_at_the_left_whatever_the_direction_of_their_name() {
    let left_of = |name: &str| {
        let mut content = content(Language::En, &[], 1);
        content.sections = vec![Section {
            heading: "Writers".to_owned(),
            cards: vec![Card {
                mark: "77".to_owned(),
                name: name.to_owned(),
                contact: "writer@example.com".to_owned(),
                state: State {
                    text: "approved".to_owned(),
                    tone: Tone::Good,
                },
                ..Card::default()
            }],
            ..Section::default()
        }];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("certificate.pdf");
        std::fs::write(&file, render(&content, &FONTS).expect("rendered")).expect("written");
        let read = Command::new("pdftotext")
            .args(["-bbox"])
            .arg(&file)
            .arg("-")
            .output()
            .expect("pdftotext can be run");
        let words = String::from_utf8_lossy(&read.stdout).into_owned();
        // Poppler may put direction marks around a word.
        let is_mark = |character: char| matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
        let line = words
            .lines()
            .find(|line| line.replace(is_mark, "").contains(">77</word>"))
            .unwrap_or_else(|| panic!("{words}"));
        let left = line.split("xMin=\"").nth(1).and_then(|rest| rest.split('"').next());
        left.and_then(|left| left.parse::<f32>().ok()).expect("a place")
    };
    let latin = left_of("Kim");
    for name in ["דוד כהן", "محمد عبد الله"] {
        assert!(
            (left_of(name) - latin).abs() < 3.0,
            "{name}: {} is not {latin}",
            left_of(name)
        );
    }
}

/// What belongs to a signer stays together: their name, what they did, and their signature.
#[test]
fn no_card_is_split_between_pages_and_each_has_its_signature() {
    for signers in [1, 7, 30] {
        let mut content = content(Language::Ko, &["김민준"], 5);
        content.look = Look {
            accent: Some([0xb5, 0x28, 0x3c]),
            // Nothing that a picture program made: left out, and no reason to fail.
            logo: Some(b"no picture".to_vec()),
        };
        content.sections.push(Section {
            heading: "작성자".to_owned(),
            cards: (0..signers)
                .map(|number| Card {
                    mark: format!("{}", number + 1),
                    name: "남궁선우황보제갈동방독고사공서문".repeat(1 + number % 3),
                    contact: format!("writer{number}@example.com"),
                    state: State {
                        text: format!("approved-{number}"),
                        tone: Tone::Good,
                    },
                    rows: vec![
                        ("IP".to_owned(), format!("first-{number}")),
                        ("Consent".to_owned(), "0123456789abcdef".repeat(4 + number % 9)),
                        ("Comment".to_owned(), format!("last-{number}")),
                    ],
                    pictures: vec![
                        signature("김민준", &format!("signature-{number}")),
                        signature("KMJ", &format!("initials-{number}")),
                    ],
                })
                .collect(),
            ..Section::default()
        });
        let pdf = render(&content, &FONTS).expect("rendered");
        assert_eq!(structure_complaints(&pdf), Vec::<String>::new());
        let read = text(&pdf);
        let pages: Vec<Vec<&str>> = read
            .split('\u{c}')
            .map(|page| page.split_whitespace().collect())
            .collect();
        for number in 0..signers {
            let page_of = |word: String| pages.iter().position(|page| page.contains(&word.as_str()));
            let page = page_of(format!("approved-{number}"));
            assert!(page.is_some(), "{number} of {signers}");
            for part in ["first", "last", "signature", "initials"] {
                assert_eq!(
                    page_of(format!("{part}-{number}")),
                    page,
                    "{part} of {number} of {signers}"
                );
            }
        }
    }
}

#[test]
fn the_address_of_the_verify_page_is_there_in_letters() {
    let pdf = render(&content(Language::En, &["Kim"], 1), &FONTS).expect("rendered");
    let packed: String = text(&pdf).split_whitespace().collect();
    assert!(packed.contains("https://sign.example.com/verify"), "{packed}");
}
