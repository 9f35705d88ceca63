//! Tests that texts are accepted if a font has their characters, that others are refused by character, and that
//! stamping uses the fonts from the start.

use std::path::Path;

use app::{Actor, Error, FaultCode, ImportTemplate};
use domain::{CompanyId, TemplateId, WorkflowId};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{TestApp, on_both, text_of};
use crate::templates::pdf;
use crate::world::{World, act, faults, field, given, id_of};

/// Letters of a script that none of our fonts has.
const RARE: &str = "ଆଇଉ";

fn one_text() -> Value {
    json!({"name": "plain", "steps": [{"order": 1}], "fields": [field("note", "text", 1, 1, 1, &json!({}))]})
}

/// Writes a font with its own name that has the letters of [`RARE`], by changing the code points in one of ours.
fn write_font(folder: &Path) {
    const OURS: &str = "../../ui/node_modules/@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf";
    let mut font = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(OURS)).expect("run script/bootstrap");
    let short = |font: &[u8], at: usize| u16::from_be_bytes([font[at], font[at + 1]]);
    let long =
        |font: &[u8], at: usize| u32::from_be_bytes([font[at], font[at + 1], font[at + 2], font[at + 3]]) as usize;
    let tables: Vec<(Vec<u8>, usize, usize)> = (0..usize::from(short(&font, 4)))
        .map(|number| 12 + 16 * number)
        .map(|entry| {
            (
                font[entry..entry + 4].to_vec(),
                long(&font, entry + 8),
                long(&font, entry + 12),
            )
        })
        .collect();
    let table = |tag: &[u8]| {
        tables
            .iter()
            .find(|(name, ..)| name == tag)
            .map(|(_, at, length)| (*at, *length))
            .expect("a table")
    };
    // The font name occurs in both encodings.
    let (at, length) = table(b"name");
    let wide = |text: &str| text.bytes().flat_map(|byte| [0, byte]).collect::<Vec<u8>>();
    for (old, new) in [(wide("Thai"), wide("Rare")), (b"Thai".to_vec(), b"Rare".to_vec())] {
        for place in at..at + length - old.len() {
            if font[place..].starts_with(&old) {
                font[place..place + new.len()].copy_from_slice(&new);
            }
        }
    }
    // Moves U+0E00 to U+0E7F to U+0B00 to U+0B7F, in subtables of ranges (format 4) and of groups (format 12).
    let moved = |code: usize| {
        if (0xe00..0xe80).contains(&code) {
            code - 0x300
        } else {
            code
        }
    };
    let (cmap, _) = table(b"cmap");
    for record in 0..usize::from(short(&font, cmap + 2)) {
        let start = cmap + long(&font, cmap + 4 + 8 * record + 4);
        match short(&font, start) {
            4 => {
                let count = usize::from(short(&font, start + 6));
                for segment in (0..count).step_by(2) {
                    let (end, first) = (start + 14 + segment, start + 16 + count + segment);
                    let delta = start + 16 + 2 * count + segment;
                    let code = usize::from(short(&font, first));
                    if moved(code) == code {
                        continue;
                    }
                    for place in [end, first] {
                        let new = short(&font, place) - 0x300;
                        font[place..place + 2].copy_from_slice(&new.to_be_bytes());
                    }
                    // Other segments list their glyphs.
                    if short(&font, start + 16 + 3 * count + segment) == 0 {
                        let new = short(&font, delta).wrapping_add(0x300);
                        font[delta..delta + 2].copy_from_slice(&new.to_be_bytes());
                    }
                }
            }
            12 => {
                for group in 0..long(&font, start + 12) {
                    let place = start + 16 + 12 * group;
                    for place in [place, place + 4] {
                        let new = u32::try_from(moved(long(&font, place))).expect("a code");
                        font[place..place + 4].copy_from_slice(&new.to_be_bytes());
                    }
                }
            }
            _ => {}
        }
    }
    std::fs::write(folder.join("rare.ttf"), font).expect("written");
}

fn world<'a>(app: &'a TestApp, known: &(CompanyId, Actor, TemplateId)) -> World<'a> {
    let (company, caller, template) = known.clone();
    World {
        app,
        company,
        caller,
        template,
    }
}

#[test]
fn what_an_added_font_showed_at_the_start_is_stamped_after_the_font_is_gone() {
    for database in [TestDatabase::sqlite(), TestDatabase::postgres()] {
        let folder = tempfile::tempdir().expect("a folder");
        write_font(folder.path());
        let app = TestApp::new(database);
        let known = {
            let world = World::new(&app, &one_text());
            let mut request = world.request();
            request.recipients.truncate(1);
            request.workflow_name = Some(RARE.to_owned());
            let refused = world.try_start(request);
            assert_eq!(faults(refused), [("workflow_name".to_owned(), FaultCode::MissingGlyph)]);
            (world.company, world.caller, world.template)
        };
        let app = app.restarted(Some(folder.path().to_owned()));
        let start = |app: &TestApp, name: &str| -> WorkflowId {
            let world = world(app, &known);
            let mut request = world.request();
            request.recipients.truncate(1);
            request.recipients[0].name = Some(name.to_owned());
            id_of(&world.start(request))
        };
        let ids = [start(&app, RARE), start(&app, "Kim")];
        let stored = app.blobs.list().expect("the files").len();
        start(&app, "Lee");
        assert_eq!(app.blobs.list().expect("the files").len(), stored, "one file for all");

        // The operator removes the font.
        let app = app.restarted(None);
        let without = start(&app, "Park");
        app.clock.advance(3600);
        app.remove_loose_files().expect("a round");
        let here = world(&app, &known);
        for id in ids {
            here.approve(id, act(vec![given("note", RARE)]))
                .expect("its own fonts have it");
            let (document, certificate) = here.sealed_files(id);
            assert!(text_of(&document).contains(RARE), "{}", text_of(&document));
            assert_eq!(text_of(&certificate).contains(RARE), id == ids[0]);
        }
        let refused = here.approve(without, act(vec![given("note", RARE)]));
        assert_eq!(faults(refused)[0].1, FaultCode::MissingGlyph);
        let report = app.fsck(std::time::Duration::ZERO).expect("a check");
        assert!(report.is_clean(), "{report:?}");
    }
}

#[test]
fn a_text_that_no_font_has_is_refused_wherever_it_would_be_printed() {
    on_both(|app| {
        let world = World::new(app, &one_text());
        let named = |error: &Error| {
            let Error::Unprocessable(faults) = error else {
                panic!("{error}");
            };
            let fault = &faults[0];
            assert_eq!(fault.code, FaultCode::MissingGlyph, "{error}");
            assert_eq!(
                fault.arguments,
                [("characters", "ଆ (U+0B06), ଇ (U+0B07), ଉ (U+0B09)".to_owned())]
            );
            fault.path.clone()
        };
        let start = |change: &dyn Fn(&mut app::StartRequest)| {
            let mut request = world.request();
            request.recipients.truncate(1);
            change(&mut request);
            named(&world.try_start(request).expect_err("refused"))
        };
        let rare = || Some(RARE.to_owned());
        assert_eq!(start(&|request| request.workflow_name = rare()), "workflow_name");
        assert_eq!(start(&|request| request.comment = rare()), "comment");
        assert_eq!(
            start(&|request| request.recipients[0].name = rare()),
            "recipient_list[0].name"
        );
        assert_eq!(
            start(&|request| request.fields = vec![given("note", RARE)]),
            "field_list[0].value"
        );
        assert_eq!(
            start(&|request| {
                request.cc = vec![app::StartCopy {
                    name: rare(),
                    email: Some("cc@example.com".to_owned()),
                }];
            }),
            "cc_list[0].name"
        );
        let import = |fields: &Value| {
            let fields = fields.to_string();
            let import = ImportTemplate {
                pdf: &pdf(),
                fields: fields.as_bytes(),
            };
            named(
                &app.import_template(&operator(app, &world.company), &import)
                    .expect_err("refused"),
            )
        };
        let mut fields = one_text();
        fields["name"] = json!(RARE);
        assert_eq!(import(&fields), "name");
        let mut fields = one_text();
        fields["steps"][0]["role"] = json!(RARE);
        assert_eq!(import(&fields), "steps");

        // Comments are on the certificate, too.
        let mut request = world.request();
        request.recipients.truncate(1);
        let id = id_of(&world.start(request));
        let with_comment = || app::ActRequest {
            comment: rare(),
            ..act(Vec::new())
        };
        assert_eq!(
            named(&world.approve(id, with_comment()).expect_err("refused")),
            "comment"
        );
        assert_eq!(
            named(&world.reject(id, with_comment()).expect_err("refused")),
            "comment"
        );
        world.approve(id, act(Vec::new())).expect("without");
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(seen.status, "Complete");
    });
}

#[test]
fn a_font_whose_letters_cannot_be_drawn_is_refused_before_anything_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    write_font(folder.path());
    let file = folder.path().join("rare.ttf");
    let mut font = std::fs::read(&file).expect("the font");
    let entry = font.windows(4).position(|tag| tag == b"glyf").expect("outlines");
    let number = |at: usize| {
        let bytes = [font[at], font[at + 1], font[at + 2], font[at + 3]];
        usize::try_from(u32::from_be_bytes(bytes)).expect("a place")
    };
    let outlines = number(entry + 8)..number(entry + 8) + number(entry + 12);
    font[outlines].fill(0x7f);
    std::fs::write(&file, font).expect("written");
    let app = TestApp::new(TestDatabase::sqlite()).restarted(Some(folder.path().to_owned()));
    let Err(refused) = app.fonts() else {
        panic!("the font is accepted");
    };
    let said = format!("{refused:?}");
    assert!(said.contains("rare.ttf") && said.contains("cannot be drawn"), "{said}");
}
