//! Tests every kind of value: set at the start or entered on the page, shown as it will be stamped, and stamped.

use app::{FaultCode, FieldLook, StartRequest, Started};
use base64::Engine as _;
use document::verify;
use domain::Status;
use serde_json::{Value, json};
use testkit::operator::operator;

use crate::support::on_both;
use crate::world::{World, act, faults, field, fields_of_first, given, id_of, key_of, origin, texts};

/// One signer with calculated fields and formatted values, and texts from the sender.
fn formats() -> Value {
    json!({"name": "formats", "steps": [{"order": 1}], "fields": [
        field("price", "number", 1, 1, 1, &json!({"thousands": true, "decimals": 2, "label": "단가"})),
        field("count", "number", 1, 1, 2, &json!({})),
        field("net", "calc", 1, 1, 3, &json!({"formula": "price * count", "thousands": true, "decimals": 0})),
        field("tax", "calc", 1, 1, 4, &json!({"formula": "net * 0.1", "decimals": 0, "rounding": "down"})),
        field("total", "calc", 1, 1, 5, &json!({"formula": "net + tax", "thousands": true})),
        field("day", "date", 1, 1, 6, &json!({"pattern": "yyyy년 M월 d일"})),
        field("born", "date", 1, 1, 7, &json!({"pattern": "yyyy"})),
        field("born", "date", 1, 1, 8, &json!({"pattern": "MM"})),
        field("born", "date", 1, 1, 9, &json!({"pattern": "dd"})),
        field("code", "text", 1, 1, 10, &json!({"cells": 6})),
        field("rule", "label", 1, 1, 11, &json!({"read_only": true, "default": "고정 문구"})),
        field("note", "text", 1, 1, 12, &json!({"lines": "one", "font_size": 24})),
        field("scan", "attachment", 1, 2, 1, &json!({"embed": true, "label": "신분증 사본"})),
        field("more", "attachment", 1, 2, 2, &json!({})),
    ]})
}

fn one_writer(world: &World<'_>) -> StartRequest {
    let mut request = world.request();
    request.recipients.truncate(1);
    request
}

fn file(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

fn shown(looks: &[FieldLook], name: &str) -> Vec<String> {
    let look = looks
        .iter()
        .find(|look| look.name == name)
        .unwrap_or_else(|| panic!("{name} in {looks:?}"));
    assert_eq!(look.fault, None, "{name}");
    for (_, look) in &look.boxes {
        let has_letters = look.outline.as_ref().is_some_and(|outline| !outline.path.is_empty());
        assert_eq!(has_letters, !look.shown.is_empty(), "{name}");
    }
    look.boxes.iter().map(|(_, look)| look.shown.clone()).collect()
}

#[test]
fn values_are_shown_in_their_format_calculated_exactly_and_kept_as_they_were_given() {
    on_both(|app| {
        let world = World::new(app, &formats());
        let started = world.start(one_writer(&world));
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let looks = app
            .fill_in(
                &key,
                &texts(&[
                    ("price", "1234.5"),
                    ("count", "3"),
                    ("day", "2026-03-07"),
                    ("born", "1999-12-01"),
                    ("code", "A-1"),
                ]),
            )
            .expect("a draft");
        assert_eq!(shown(&looks, "price"), ["1,234.50"]);
        // 3,703.5 is rounded to a whole number before the tax is calculated.
        assert_eq!(shown(&looks, "net"), ["3,704"]);
        assert_eq!(shown(&looks, "tax"), ["370"]);
        assert_eq!(shown(&looks, "total"), ["4,074"]);
        assert_eq!(shown(&looks, "day"), ["2026년 3월 7일"]);
        assert_eq!(shown(&looks, "born"), ["1999", "12", "01"]);
        // Saved values are shown when the page is opened again.
        let view = app.open_signing(&key).expect("a page");
        let on_page: Vec<String> = view.fields.iter().map(|view| view.look.shown.clone()).collect();
        assert_eq!(
            on_page[..11],
            [
                "1,234.50",
                "3",
                "3,704",
                "370",
                "4,074",
                "2026년 3월 7일",
                "1999",
                "12",
                "01",
                "A-1",
                "고정 문구"
            ]
        );
        let signed = app
            .approve_shown(&key, &texts(&[]), None, &origin())
            .expect("an approval");
        assert_eq!(signed.status, Status::Complete);
        let kept: Vec<(String, String)> = world
            .values(id_of(&started))
            .into_iter()
            .filter(|(name, _)| ["price", "net", "total", "day", "born", "rule"].contains(&name.as_str()))
            .collect();
        let expected = [
            ("price", "1234.5"),
            ("net", "3704"),
            ("total", "4074"),
            ("day", "2026-03-07"),
            ("born", "1999-12-01"),
            ("rule", "고정 문구"),
        ];
        assert_eq!(kept, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    });
}

#[test]
fn what_cannot_be_stamped_is_said_while_it_is_typed_and_at_the_start() {
    on_both(|app| {
        let world = World::new(app, &formats());
        let long = "가".repeat(125);
        let zalgo = format!("a{}", "\u{301}".repeat(40));
        let bad = [
            ("note", long.as_str(), FaultCode::DoesNotFit),
            ("note", "서명 𓀀", FaultCode::MissingGlyph),
            ("note", zalgo.as_str(), FaultCode::OverlongCharacter),
            ("code", "1234567", FaultCode::TooLong),
            ("price", "1.005", FaultCode::TooManyDecimals),
            ("day", "2026-02-30", FaultCode::InvalidDate),
        ];
        for (name, value, code) in bad {
            let mut request = one_writer(&world);
            request.fields = vec![given(name, value)];
            let refused = world.try_start(request);
            assert_eq!(faults(refused), [("field_list[0].value".to_owned(), code)], "{name}");
        }
        let mut request = one_writer(&world);
        request.fields = vec![given("rule", "another text")];
        assert_eq!(
            faults(world.try_start(request)),
            [("field_list[0].name".to_owned(), FaultCode::FieldNotWritable)]
        );

        let started = world.start(one_writer(&world));
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        for (name, value, code) in bad {
            let looks = app
                .fill_in(&key, &texts(&[(name, value)]))
                .expect("a draft is kept as typed");
            let look = looks.iter().find(|look| look.name == name).expect("its look");
            assert_eq!(look.fault.as_ref().map(|fault| fault.code), Some(code), "{name}");
            assert!(look.boxes.iter().all(|(_, look)| look.outline.is_none()), "{name}");
            let view = app.open_signing(&key).expect("a page");
            let view = view
                .fields
                .iter()
                .find(|view| view.field.name == name)
                .expect("the field");
            assert_eq!(view.fault.as_ref().map(|fault| fault.code), Some(code), "{name}");
            assert_eq!(view.value.as_deref(), Some(value));
            let refused = app.approve_shown(&key, &texts(&[]), None, &origin());
            assert_eq!(faults(refused), [(name.to_owned(), code)]);
            app.fill_in(&key, &texts(&[(name, "")])).expect("taken away");
        }
    });
}

/// Creates the start of a valid PNG whose header states this many pixels.
fn png_of(width: u32, height: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let named = [kind.as_slice(), data].concat();
        // The CRC-32 of PNG (W3C PNG, annex D).
        let check = named.iter().fold(u32::MAX, |check, byte| {
            (0..8).fold(check ^ u32::from(*byte), |check, _| {
                if check & 1 == 1 {
                    (check >> 1) ^ 0xEDB8_8320
                } else {
                    check >> 1
                }
            })
        });
        let length = u32::try_from(data.len()).expect("a short chunk");
        [&length.to_be_bytes()[..], &named, &(!check).to_be_bytes()].concat()
    };
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[1, 0, 0, 0, 0]].concat();
    [
        &b"\x89PNG\r\n\x1a\n"[..],
        &chunk(b"IHDR", &header),
        &chunk(b"IDAT", &[0; 99]),
    ]
    .concat()
}

/// A picture with too many bytes or pixels is reported as too large, with the limit, wherever it is sent.
#[test]
fn a_picture_that_is_too_large_is_not_called_no_picture() {
    on_both(|app| {
        let fields = json!({"name": "pictures", "steps": [{"order": 1}],
            "fields": [field("photo", "image", 1, 1, 1, &json!({}))]});
        let world = World::new(app, &fields);
        let of_bytes = [png_of(9, 9), vec![0; domain::Picture::LIMIT]].concat();
        let cases = [
            (of_bytes, FaultCode::PictureTooLarge),
            (png_of(5_000, 5_000), FaultCode::PictureTooLarge),
            (png_of(10_001, 1), FaultCode::PictureTooLarge),
            (png_of(9, 9), FaultCode::PictureDamaged),
            (b"GIF89a".to_vec(), FaultCode::InvalidPicture),
        ];
        let started = world.start(one_writer(&world));
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        for (bytes, code) in cases {
            let mut request = one_writer(&world);
            let value = base64::engine::general_purpose::STANDARD.encode(&bytes);
            request.fields = vec![given("photo", &value)];
            let refused = faults(world.try_start(request));
            assert_eq!(
                refused,
                [("field_list[0].value".to_owned(), code)],
                "{} bytes",
                bytes.len()
            );
            let refused = faults(app.attach(&key, "photo", Some("photo.png"), bytes));
            assert_eq!(refused, [("photo".to_owned(), code)]);
        }
        let message = app::Fault::new("photo", FaultCode::PictureTooLarge).message(domain::Language::En);
        assert!(message.contains('5') && message.contains("20"), "{message}");
    });
}

#[test]
fn attachments_are_listed_with_their_hash_and_embedded_where_the_template_says_so() {
    on_both(|app| {
        let world = World::new(app, &formats());
        let started = world.start(one_writer(&world));
        let id = id_of(&started);
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        app.attach(&key, "scan", Some("신분증.txt"), b"the scan".to_vec())
            .expect("a file");
        app.attach(&key, "more", Some("more.txt"), b"more".to_vec())
            .expect("a file");
        app.approve_shown(&key, &texts(&[]), None, &origin())
            .expect("an approval");
        let (document, certificate) = world.sealed_files(id);
        let embedded = verify::attachments(&document).expect("readable");
        let names: Vec<(&str, &[u8])> = embedded
            .iter()
            .map(|file| (file.name.as_str(), file.data.as_slice()))
            .collect();
        assert_eq!(names, [("신분증.txt", b"the scan".as_slice())]);
        let text = crate::support::text_of(&certificate);
        for file in ["the scan", "more"] {
            let hash = domain::BlobHash::of(file.as_bytes()).to_string();
            assert!(text.contains(&hash), "{file}: {hash} is not in {text}");
        }
        assert!(text.contains("신분증사본") && text.contains("more.txt"), "{text}");
        assert!(
            text.contains("입력한항목:more,신분증사본"),
            "the history names it as its writer read it: {text}"
        );
    });
}

#[test]
fn a_font_that_the_installation_lacks_is_refused_with_those_that_it_has() {
    on_both(|app| {
        let company = app.with_company("fonts");
        let fields = json!({"name": "x", "steps": [{"order": 1}],
            "fields": [field("a", "text", 1, 1, 1, &json!({"font": "Comic Sans"}))]});
        let (pdf, fields) = (crate::templates::pdf(), fields.to_string());
        let import = app::ImportTemplate {
            pdf: &pdf,
            fields: fields.as_bytes(),
        };
        let refused = app.import_template(&operator(app, &company), &import);
        assert_eq!(faults(refused), [("fields[0].font".to_owned(), FaultCode::UnknownFont)]);
    });
}

/// Regression test for known trouble 4: Korean, Japanese and Chinese values must not prevent the certificate.
#[test]
fn with_values_in_every_script_the_certificate_is_still_made() {
    on_both(|app| {
        let fields = json!({"name": "scripts", "steps": [{"order": 1}, {"order": 2}], "fields": [
            field("성명", "text", 1, 1, 1, &json!({"required": true})),
            field("sign", "text", 1, 1, 2, &json!({})),
            field("שם", "text", 1, 1, 3, &json!({})),
            field("الاسم", "text", 1, 1, 4, &json!({})),
            field("名前", "text", 2, 1, 5, &json!({"required": true})),
        ]});
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients[1].name = Some("محمد 张伟 😀".to_owned());
        request.fields = vec![given("שם", "שלום עולם"), given("الاسم", "محمد عبد الله")];
        let started = world.start(request);
        let id = id_of(&started);
        let mut first = fields_of_first();
        first[1].value = Some("김민준 👍".to_owned());
        world.approve(id, act(first)).expect("the first");
        world
            .approve(id, act(vec![given("名前", "山田太郎 張偉")]))
            .expect("the second");
        let (_, certificate) = world.sealed_files(id);
        let text = crate::support::text_of(&certificate);
        assert!(text.contains("张伟") && text.contains("김민준"), "{text}");
    });
}

#[test]
fn a_preview_shows_the_given_values_as_they_will_be_stamped() {
    on_both(|app| {
        let world = World::new(app, &formats());
        let mut request = one_writer(&world);
        request.is_preview = true;
        request.fields = vec![given("price", "5000"), given("scan", &file("x"))];
        let Started::Preview { preview_url, .. } = world.try_start(request).expect("a preview") else {
            panic!("not a preview");
        };
        let view = app.preview(&key_of(&preview_url).token).expect("a preview");
        assert_eq!(view.fields[0].look.shown, "5,000.00");
        assert!(view.fields[0].look.outline.is_some());
    });
}

#[test]
fn a_date_of_signing_is_the_day_in_the_documents_zone_when_its_signer_signs() {
    on_both(|app| {
        let signed_on = |name: &str, step: u32, row: u32| {
            field(
                name,
                "signed_on",
                step,
                1,
                row,
                &json!({"required": true, "pattern": "yyyy년 M월 d일"}),
            )
        };
        let fields = json!({"name": "days", "steps": [{"order": 1}, {"order": 2}],
            "fields": [signed_on("first", 1, 1), signed_on("second", 2, 2)]});
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.fields = vec![given("first", "2020-01-01")];
        let refused = [("field_list[0].value".to_owned(), FaultCode::NoValueTaken)];
        assert_eq!(faults(world.try_start(request)), refused, "nobody chooses the day");

        // 23:30 in Seoul, and still the morning of that day in Honolulu.
        app.clock.set("2026-03-07T14:30:00Z".parse().expect("a moment"));
        let started = world.start(world.request());
        let abroad = world.start(StartRequest {
            offset: Some("-10:00".to_owned()),
            ..world.request()
        });
        let shown = |key: &app::SigningKey, name: &str| {
            let page = app.open_signing(key).expect("a page");
            let view = page.fields.into_iter().find(|view| view.field.name == name);
            let view = view.expect("the field");
            (view.look.shown, view.value, view.editable)
        };
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let today = ("2026년 3월 7일".to_owned(), Some("2026-03-07".to_owned()), false);
        assert_eq!(shown(&key, "first"), today, "what it will be");
        assert_eq!(shown(&key, "second").1, None, "another signer's day");

        app.clock.advance(3600);
        app.approve_shown(&key, &texts(&[]), None, &origin())
            .expect("the first");
        let second = world.playing_key(id_of(&started));
        assert_eq!(shown(&second, "first").0, "2026년 3월 8일", "the day of signing");
        app.clock.advance(86_400);
        app.approve_shown(&second, &texts(&[]), None, &origin())
            .expect("the second");
        let days = |first: &str, second: &str| {
            [("first", first), ("second", second)].map(|(name, day)| (name.to_owned(), day.to_owned()))
        };
        assert_eq!(world.values(id_of(&started)), days("2026-03-08", "2026-03-09"));
        let (document, certificate) = world.sealed_files(id_of(&started));
        assert!(crate::support::text_of(&document).contains("2026년3월8일"));
        assert!(
            crate::support::text_of(&certificate).contains("second"),
            "named with the approval that wrote it"
        );

        let id = id_of(&abroad);
        world.approve(id, act(vec![])).expect("on behalf of the first");
        assert_eq!(
            world.values(id),
            [("first".to_owned(), "2026-03-08".to_owned())],
            "05:30 at UTC-10"
        );
        let search = app::SearchRequest {
            template_id: Some(world.template.to_string()),
            field_name: Some("second".to_owned()),
            field_value: Some("2026.3.9".to_owned()),
            ..app::SearchRequest::default()
        };
        let found = app.search_with_value(&world.caller, &search).expect("a search");
        assert_eq!(found.workflow_list.len(), 1);
    });
}

#[test]
fn a_file_that_a_program_sends_has_the_name_that_it_gives() {
    on_both(|app| {
        let fields = json!({"name": "files", "steps": [{"order": 1}, {"order": 2}], "fields": [
            field("scan", "attachment", 1, 2, 1, &json!({"embed": true})),
            field("photo", "image", 1, 1, 1, &json!({})),
            field("later", "attachment", 2, 2, 2, &json!({})),
            field("plain", "attachment", 1, 2, 3, &json!({})),
        ]});
        let world = World::new(app, &fields);
        let named = |name: &str, value: &str, file_name: &str| app::GivenField {
            file_name: Some(file_name.to_owned()),
            ..given(name, value)
        };
        let mut request = world.request();
        request.fields = vec![
            named("scan", &file("the scan"), "../신분증 사본.txt"),
            named("photo", crate::world::PIXEL, "me.png"),
            named("plain", &file("x"), " "),
        ];
        let id = id_of(&world.start(request));
        world.approve(id, act(vec![])).expect("the first");
        let later = named("later", &file("more"), "more.csv");
        world.approve(id, act(vec![later])).expect("the second");
        let expected = [
            ("scan", "신분증 사본.txt"),
            ("photo", "me.png"),
            ("later", "more.csv"),
            ("plain", "plain"),
        ];
        let shown: std::collections::BTreeMap<_, _> = world.values(id).into_iter().collect();
        let webhook = world.webhooks(id).remove(1);
        for (name, file_name) in expected {
            assert_eq!(shown[name], file_name, "{name}");
            let listed = webhook["field_list"].as_array().expect("a list");
            let entry = listed.iter().find(|entry| entry["name"] == name).expect("an entry");
            assert_eq!(entry["value"], file_name, "the webhook's {name}");
        }
        let (document, certificate) = world.sealed_files(id);
        let embedded = verify::attachments(&document).expect("readable");
        assert_eq!(embedded[0].name, "신분증 사본.txt");
        assert!(crate::support::text_of(&certificate).contains("more.csv"));
    });
}
