//! Tests that values cannot turn out to be unstampable after others have signed.

use app::{CompanyChange, CorrectRequest, Error, FaultCode, ImportTemplate, StartRequest, Started};
use domain::{Status, TemplateId, WorkflowId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};
use crate::world::{PIXEL, World, act, faults, field, given, id_of, key_of, origin, texts, writer};

/// A box that fits at most three digits.
fn narrow() -> Value {
    json!({"width": 25_000, "height": 15_000})
}

fn with(base: &Value, more: &Value) -> Value {
    let mut both = base.clone();
    for (member, value) in more.as_object().expect("an object") {
        both[member] = value.clone();
    }
    both
}

fn two_writers(fields: &[Value]) -> Value {
    json!({"name": "foresight", "steps": [{"order": 1}, {"order": 2}], "fields": fields})
}

fn import(world: &World<'_>, fields: &Value) -> Result<TemplateId, Error> {
    let (pdf, fields) = (crate::templates::pdf(), fields.to_string());
    let import = ImportTemplate {
        pdf: &pdf,
        fields: fields.as_bytes(),
    };
    let imported = world.app.import_template(&operator(world.app, &world.company), &import);
    imported.map(|imported| imported.id)
}

/// Asserts that one field is refused, both in a new template and in the fields of an existing one.
fn assert_refused(world: &World<'_>, fields: &Value, path: &str, code: FaultCode) {
    let expected = [(path.to_owned(), code)];
    assert_eq!(faults(import(world, fields)), expected, "{fields}");
    let text = fields.to_string();
    let changed =
        world
            .app
            .change_template_fields(&operator(world.app, &world.company), world.template, text.as_bytes());
    assert_eq!(faults(changed), expected, "{fields}");
}

fn plain() -> Value {
    two_writers(&[field("note", "text", 1, 1, 1, &json!({}))])
}

#[test]
fn what_a_template_prescribes_is_proved_when_it_is_imported() {
    on_both(|app| {
        let world = World::new(app, &plain());
        let bad = [
            ("select", json!({"options": ["yes", "ଆଇ"]}), ".options[1]"),
            (
                "select",
                with(&narrow(), &json!({"options": ["no", "a very long option"]})),
                ".options[1]",
            ),
            ("date", json!({"pattern": "MMMM dd yyyy 'ଉ'"}), ".pattern"),
            // Fits in May, but not in September.
            (
                "date",
                json!({"pattern": "MMMM yyyy", "width": 66_000, "height": 15_000, "font_size": 10}),
                ".pattern",
            ),
            ("date", narrow(), ""),
            ("label", json!({"read_only": true, "default": "ଆଇ"}), ".default"),
            (
                "text",
                with(&narrow(), &json!({"default": "too long a text for this box"})),
                ".default",
            ),
            (
                "number",
                with(&narrow(), &json!({"required": true, "decimals": 10})),
                "",
            ),
            ("calc", with(&narrow(), &json!({"formula": "1000000 + 1"})), ".formula"),
        ];
        for (kind, more, member) in &bad {
            let fields = two_writers(&[
                field("note", "text", 1, 1, 1, &json!({})),
                field("bad", kind, 2, 1, 2, more),
            ]);
            assert_refused(
                &world,
                &fields,
                &format!("fields[1]{member}"),
                FaultCode::FieldNotStampable,
            );
        }
        let good = two_writers(&[
            field("day", "date", 2, 1, 1, &json!({"pattern": "d MMMM yyyy"})),
            field(
                "choice",
                "select",
                2,
                1,
                2,
                &json!({"options": ["예", "はい", "yes", "נעם"], "required": true}),
            ),
            field("a", "number", 1, 1, 4, &json!({"required": true})),
            field("b", "number", 2, 1, 5, &json!({})),
            field(
                "product",
                "calc",
                2,
                1,
                6,
                &with(&narrow(), &json!({"formula": "a * b"})),
            ),
        ]);
        assert!(import(&world, &good).is_ok());
    });
}

/// A thousandth of the page height is 0.8 points.
#[test]
fn a_box_that_is_too_small_for_its_kind_is_refused_with_the_least_that_it_needs() {
    on_both(|app| {
        let world = World::new(app, &plain());
        let small = [
            ("text", json!({"height": 8_000})),
            ("text", json!({"height": 3_000, "font_size": 72})),
            ("text", json!({"width": 4_000})),
            ("number", json!({"height": 1, "required": true})),
            ("select", json!({"height": 1_000, "options": ["a"]})),
            ("label", json!({"height": 1_000, "read_only": true, "default": "fixed"})),
            ("check", json!({"width": 8_000, "height": 1})),
            ("signature", json!({"width": 1, "height": 1})),
            ("initials", json!({"height": 11_000})),
            ("seal", json!({"width": 1})),
            ("image", json!({"height": 1})),
        ];
        for (kind, more) in &small {
            let fields = two_writers(&[
                field("note", "text", 1, 1, 1, &json!({})),
                field("bad", kind, 2, 1, 2, more),
            ]);
            assert_refused(&world, &fields, "fields[1]", FaultCode::FieldTooSmall);
        }
        // The size stated in the message is accepted.
        let fields = |box_of: &Value| two_writers(&[field("a", "signature", 1, 1, 1, box_of)]);
        let Err(Error::Unprocessable(faults)) = import(&world, &fields(&json!({"width": 1, "height": 1}))) else {
            panic!("it is refused");
        };
        let message = faults[0].message(domain::Language::En);
        assert!(
            message.contains("“a”") && message.contains("10.0 × 10.0 points"),
            "{message}"
        );
        let asked = |name: &str| -> u32 {
            let mut all = faults[0].arguments.iter();
            let (_, value) = all.find(|(known, _)| *known == name).expect("an argument");
            value.parse().expect("a number")
        };
        let (width, height) = (asked("width_millionths"), asked("height_millionths"));
        assert!(
            message.contains(&width.to_string()) && message.contains(&height.to_string()),
            "{message}"
        );
        assert!(import(&world, &fields(&json!({"width": width, "height": height}))).is_ok());
        let attachment = two_writers(&[field("a", "attachment", 1, 1, 1, &json!({"width": 1, "height": 1}))]);
        assert!(import(&world, &attachment).is_ok());
    });
}

/// Covers templates that were imported before this was checked.
#[test]
fn what_a_template_prescribes_is_proved_again_at_the_start() {
    on_both(|app| {
        let options = json!({"options": ["yes", "no"]});
        let world = World::new(app, &two_writers(&[field("choice", "select", 2, 1, 1, &options)]));
        world.start(world.request());
        let mut stored = app
            .template(&operator(app, &world.company), world.template)
            .expect("the template")
            .stored;
        stored.version.fields[0].options[1] = "ଆଇ".to_owned();
        let (company, id) = (world.company.clone(), world.template);
        app.store
            .write(move |tx| {
                let name = stored.version.name.clone();
                stored.version.version = store::template::advance(tx, &company, id, &name)?.expect("the template");
                store::template::insert_version(tx, &stored)
            })
            .expect("an old version");
        let expected = [("template_id".to_owned(), FaultCode::FieldNotStampable)];
        assert_eq!(faults(world.try_start(world.request())), expected);
        assert_eq!(faults(world.try_start(world.request())), expected, "again");
    });
}

#[test]
fn a_number_is_refused_with_which_a_later_result_would_not_fit() {
    on_both(|app| {
        let fields = |formula: &str| {
            two_writers(&[
                field("a", "number", 1, 1, 1, &json!({})),
                field("b", "number", 2, 1, 2, &json!({})),
                field(
                    "sum",
                    "calc",
                    2,
                    1,
                    3,
                    &with(&narrow(), &json!({"formula": formula, "label": "합계"})),
                ),
            ])
        };
        let world = World::new(app, &plain());
        for (formula, too_long, fitting) in [
            ("a + 1", "123456789", "12"),
            ("a + b", "123456789", "12"),
            ("a * b", "123456789123", "12"),
            ("b - a", "123456789", "12"),
            ("a * 3", "123456789", "12"),
        ] {
            let fields = fields(formula);
            let changed = fields.to_string();
            app.change_template_fields(&operator(app, &world.company), world.template, changed.as_bytes())
                .expect("a template");
            let started = world.start(world.request());
            let id = id_of(&started);
            let refused = world.approve(id, act(vec![given("a", too_long)]));
            let code = FaultCode::CalculationDoesNotFit;
            assert_eq!(faults(refused), [("field_list[0].value".to_owned(), code)], "{formula}");
            let key = key_of(started.sign_url.as_deref().expect("embedded"));
            app.fill_in(&key, &texts(&[("a", too_long)])).expect("a draft");
            let refused = app.approve_shown(&key, &texts(&[]), None, &origin());
            let Err(Error::Unprocessable(told)) = refused else {
                panic!("{formula}: {refused:?}");
            };
            assert_eq!((told[0].path.as_str(), told[0].code), ("a", code), "{formula}");
            let message = told[0].message(domain::Language::En);
            assert!(message.contains("합계"), "{message}");
            world.approve(id, act(vec![given("a", fitting)])).expect("fits");
            world.approve(id, act(vec![given("b", "1")])).expect("the second");
            assert_eq!(
                world.app.workflow(&world.caller, id).expect("it").status,
                Status::Complete.code()
            );
        }
    });
}

#[test]
fn a_number_that_the_sender_fixes_is_proved_with_what_is_calculated_from_it() {
    on_both(|app| {
        let world = World::new(
            app,
            &two_writers(&[
                field("a", "number", 1, 1, 1, &json!({"read_only": true})),
                field("twice", "calc", 2, 1, 2, &with(&narrow(), &json!({"formula": "a * 2"}))),
                field(
                    "again",
                    "calc",
                    2,
                    1,
                    3,
                    &with(&narrow(), &json!({"formula": "twice + 1"})),
                ),
            ]),
        );
        let with_number = |number: &str| StartRequest {
            fields: vec![given("a", number)],
            ..world.request()
        };
        assert_eq!(
            faults(world.try_start(with_number("123456789"))),
            [("field_list[0].value".to_owned(), FaultCode::CalculationDoesNotFit)]
        );
        assert!(world.try_start(with_number("12")).is_ok());
    });
}

#[test]
fn a_document_keeps_the_companys_name_with_which_it_was_sent() {
    on_both(|app| {
        let detail = with(&json!({"width": 100_000}), &json!({"detail": "company"}));
        let world = World::new(app, &two_writers(&[field("from", "writer", 2, 1, 1, &detail)]));
        let request = || {
            let mut request = world.request();
            request.recipients[1].email = Some("owner@example.com".to_owned());
            request
        };
        let id = id_of(&world.start(request()));
        let long = "아주 긴 이름의 주식회사 ".repeat(5);
        let change = CompanyChange {
            name: Some(long.clone()),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &world.company), &change)
            .expect("another name");
        assert_eq!(
            faults(world.try_start(request())),
            [("template_id".to_owned(), FaultCode::DoesNotFit)]
        );
        world.approve(id, act(vec![])).expect("the first");
        let shown = app.open_signing(&world.playing_key(id)).expect("the second's page");
        assert_eq!(
            shown
                .fields
                .iter()
                .find(|view| view.field.name == "from")
                .map(|view| view.value.as_deref()),
            Some(Some("acme 주식회사"))
        );
        // So does the sender under a corrected name.
        let correction = CorrectRequest {
            name: Some("Bob".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 2, &correction, &origin())
            .expect("corrected");
        world.approve(id, act(vec![])).expect("the second");
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(seen.status, "Complete");
    });
}

/// The seed of a field in a random template, without the surrounding fields.
type Seed = (usize, u32, u32, u32, bool, bool, u32);

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let seed = (
        0..domain::FieldKind::ALL.len(),
        1..=3_u32,
        prop::sample::select(vec![12_000_u32, 25_000, 60_000, 150_000, 300_000]),
        prop::sample::select(vec![12_000_u32, 20_000, 45_000]),
        any::<bool>(),
        any::<bool>(),
        any::<u32>(),
    );
    prop::collection::vec(seed, 2..8)
}

fn pick<'l, T: ?Sized>(list: &[&'l T], seed: u32) -> &'l T {
    list[seed as usize % list.len()]
}

fn template_of(seeds: &[Seed]) -> Value {
    let kind_of = |seed: &Seed| domain::FieldKind::ALL[seed.0].code();
    let field_of = |(row, seed): (u32, &Seed)| {
        let (_, step, width, height, required, read_only, chance) = *seed;
        let kind = kind_of(seed);
        let box_of = json!({"width": width, "height": height, "required": required, "read_only": read_only});
        let before = (0_u32..)
            .zip(seeds)
            .find(|(other, seed)| *other != row && kind_of(seed) == "number" && seed.1 <= step);
        let second = (0_u32..)
            .zip(seeds)
            .filter(|(_, seed)| kind_of(seed) == "number" && seed.1 <= step)
            .last();
        let numbers = json!({"thousands": chance % 2 == 0, "decimals": chance % 3});
        let more = match kind {
            "select" => {
                json!({"options": [pick(&["예", "yes", "a long option"], chance), pick(&["no", "否", "ଆଇ"], chance / 3)]})
            }
            "radio" => json!({"option": "A"}),
            "date" | "signed_on" => {
                json!({"pattern": pick(&["yyyy-MM-dd", "d MMMM yyyy", "M월 d일", "yy 'ଉ'"], chance)})
            }
            "label" => json!({"default": pick(&["x", "a text of some length"], chance)}),
            "writer" => json!({"detail": pick(&["name", "email", "phone", "company"], chance)}),
            "number" => numbers,
            "calc" => {
                let formula = match (before, second) {
                    (Some((one, _)), Some((two, _))) => pick(
                        &[
                            "f{1} * f{2}",
                            "f{1} + f{2}",
                            "f{1} - 5",
                            "f{1} * 1000",
                            "f{1} / 3",
                            "-f{1} + f{2} * 2",
                        ],
                        chance,
                    )
                    .replace("{1}", &one.to_string())
                    .replace("{2}", &two.to_string()),
                    _ => pick(&["7", "123456789"], chance).to_owned(),
                };
                with(&numbers, &json!({"formula": formula}))
            }
            _ => json!({}),
        };
        field(
            &format!("f{row}"),
            kind,
            step,
            1 + row % 2,
            1 + row,
            &with(&box_of, &more),
        )
    };
    let fields: Vec<Value> = (0..).zip(seeds).map(field_of).collect();
    json!({"name": "random", "steps": [{"order": 1}, {"order": 2}, {"order": 3}], "fields": fields})
}

/// Returns a value that somebody might enter.
fn some_value(seed: &Seed, chance: u32) -> String {
    let number = chance % 1_000_000_000;
    match domain::FieldKind::ALL[seed.0].code() {
        "number" => pick(
            &[
                "0",
                "7",
                "",
                "123456789012",
                "-45",
                "9999999999999999999999",
                &number.to_string(),
            ],
            chance / 7,
        )
        .to_owned(),
        "text" => "word ".repeat(chance as usize % 30),
        "date" => format!("{:04}-{:02}-{:02}", 1 + chance % 9999, 1 + chance % 12, 1 + chance % 28),
        "select" => pick(&["예", "yes", "a long option", "no", "否"], chance).to_owned(),
        "radio" => "A".to_owned(),
        "check" => "Y".to_owned(),
        "label" => "a label of the sender".repeat(1 + chance as usize % 2),
        "attachment" | "signature" | "initials" | "seal" | "image" => PIXEL.to_owned(),
        _ => String::new(),
    }
}

/// Returns a value that lets every signer continue: optional fields stay empty, and 0 fits everywhere.
fn modest_value(seed: &Seed, options: &[String], chance: u32) -> String {
    let required = seed.4;
    match domain::FieldKind::ALL[seed.0].code() {
        "number" if required => "0".to_owned(),
        "text" if required => "1".to_owned(),
        "number" | "text" => String::new(),
        "signature" | "initials" | "seal" | "image" if !required => String::new(),
        // Any option works, because each was checked.
        "select" => options[chance as usize % options.len()].clone(),
        _ => some_value(seed, chance),
    }
}

fn of_kind(kinds: &[&str], seed: &Seed) -> bool {
    kinds.contains(&domain::FieldKind::ALL[seed.0].code())
}

fn chance(chances: &[u32], index: usize) -> u32 {
    chances[index % chances.len()]
}

fn name(index: usize) -> String {
    format!("f{index}")
}

/// Builds a start in which the sender fills in some of the permitted fields.
fn request_with(world: &World<'_>, seeds: &[Seed], chances: &[u32]) -> StartRequest {
    let mut request = StartRequest {
        recipients: vec![
            writer(1, "김민준", "kim@example.com"),
            writer(2, "山田太郎", "yamada@example.com"),
            writer(3, "Al", "al@example.com"),
        ],
        ..world.request()
    };
    for (index, seed) in seeds.iter().enumerate() {
        let gives =
            chance(chances, index).is_multiple_of(3) && !of_kind(&["writer", "calc", "signed_on", "attachment"], seed);
        if gives && !(of_kind(&["label"], seed) && seed.5) {
            request
                .fields
                .push(given(&name(index), &some_value(seed, chance(chances, index) / 3)));
        }
    }
    request
}

/// Starts a workflow of this template and signs every step. Returns the number of refused approvals, or `None` if the
/// template or the start was refused.
fn signed_through(world: &World<'_>, seeds: &[Seed], chances: &[u32]) -> Result<Option<u32>, TestCaseError> {
    let app = world.app;
    let fields = template_of(seeds).to_string();
    if app
        .change_template_fields(&operator(app, &world.company), world.template, fields.as_bytes())
        .is_err()
    {
        return Ok(None);
    }
    let mut request = request_with(world, seeds, chances);
    let started = match world.try_start(request.clone()) {
        Err(Error::Unprocessable(_)) => {
            request.fields.clear();
            world.try_start(request)
        }
        started => started,
    };
    let id = match started {
        Ok(Started::Workflow(started)) => WorkflowId(started.workflow_id),
        // Nobody has signed yet, so a name that does not fit into its box is refused.
        Err(Error::Unprocessable(_)) => return Ok(None),
        other => panic!("{other:?}"),
    };
    let mut refused = 0;
    for step in 1..=3 {
        refused += sign_step(world, id, seeds, chances, step)?;
    }
    let status = world.app.workflow(&world.caller, id).expect("it").status;
    prop_assert_eq!(status, Status::Complete.code());
    Ok(Some(refused))
}

/// Signs a step with random values if they are accepted, otherwise with modest ones, which must be.
fn sign_step(
    world: &World<'_>,
    id: WorkflowId,
    seeds: &[Seed],
    chances: &[u32],
    step: u32,
) -> Result<u32, TestCaseError> {
    let version = world
        .app
        .template(&operator(world.app, &world.company), world.template)
        .expect("it")
        .stored
        .version;
    let given_now = world.app.workflow(&world.caller, id).expect("it");
    let is_fixed = |index: usize| {
        let field = &version.fields[index];
        field.read_only
            && given_now
                .field_list
                .iter()
                .any(|value| value.name == field.name && !value.value.is_empty())
    };
    let own: Vec<(usize, &Seed)> = seeds
        .iter()
        .enumerate()
        .filter(|(index, seed)| {
            seed.1 == step && !of_kind(&["label", "writer", "calc", "signed_on"], seed) && !is_fixed(*index)
        })
        .collect();
    let values = |value: &dyn Fn(usize, &Seed) -> String| {
        let all = own
            .iter()
            .map(|(index, seed)| given(&name(*index), &value(*index, seed)));
        act(all.collect())
    };
    let bold = values(&|index, seed| some_value(seed, chance(chances, index + step as usize)));
    if world.approve(id, bold).is_ok() {
        return Ok(0);
    }
    let modest = values(&|index, seed| modest_value(seed, &version.fields[index].options, chance(chances, index)));
    let told = world.approve(id, modest.clone());
    prop_assert!(told.is_ok(), "step {step} of {seeds:?}\nwith {modest:?}\n{told:?}");
    Ok(1)
}

/// Whatever a signer enters, the next one can continue, and in the end the document is sealed.
#[test]
fn no_writer_is_stuck_with_what_others_have_fixed() {
    let app = TestApp::new(TestDatabase::sqlite());
    let world = World::new(&app, &plain());
    let cases = std::cell::Cell::new((0, 0));
    let mut runner = TestRunner::new(Config {
        cases: 96,
        failure_persistence: None,
        max_shrink_iters: 60,
        ..Config::default()
    });
    // The number of refused approvals is random, so rounds are repeated until there are enough.
    for _round in 0..10 {
        let result = runner.run(
            &(seeds(), prop::collection::vec(any::<u32>(), 8)),
            |(seeds, chances)| {
                if let Some(refused) = signed_through(&world, &seeds, &chances)? {
                    let (completed, before) = cases.get();
                    cases.set((completed + 1, before + refused));
                }
                Ok(())
            },
        );
        if let Err(failure) = result {
            panic!("{failure}");
        }
        let (completed, refused) = cases.get();
        if completed >= 15 && refused >= 5 {
            break;
        }
    }
    let (completed, refused) = cases.get();
    assert!(
        completed >= 15 && refused >= 5,
        "too little was tried: {completed}, {refused}"
    );
}
