//! Tests the content of the history certificate, read by a third-party program.

use std::process::Command;

use app::{CorrectRequest, Error, Origin, SigningKey, StartRecipient};
use domain::{BlobHash, Language};
use store::outbox::{self, Outcome, Try};
use testkit::deliveries::claim_due;

use crate::support::{TestApp, on_both};
use crate::templates::pdf;
use crate::world::{World, act, fields_of_first, given, id_of, key_of, texts, two_steps, writer};

/// Returns all text of a PDF with single spaces, as read by poppler.
pub fn text(pdf: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), pdf).expect("written");
    let output = Command::new("pdftotext")
        .args(["-enc", "UTF-8"])
        .arg(file.path())
        .arg("-")
        .output()
        .expect("pdftotext can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes all spaces, because long values may break anywhere.
pub fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn phone() -> Origin {
    Origin {
        address: Some("203.0.113.7".to_owned()),
        user_agent: Some(
            "Mozilla/5.0 (Linux; Android 14; SM-S921N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 \
             Mobile Safari/537.36"
                .to_owned(),
        ),
    }
}

/// Signs as the first signer with their link, including consent.
pub fn sign(world: &World<'_>, key: &SigningKey, language: Language, name: &str) -> Result<(), Error> {
    let app = world.app;
    app.record_viewed(key, &phone())?;
    app.clock.advance(60);
    app.give_consent(key, &app::consent::statement(language), &phone())?;
    app.clock.advance(60);
    let values = texts(&[("성명", name), ("day", "2026-01-02")]);
    app.attach(key, "sign", Some("서명.png"), crate::world::pixel())?;
    app.approve_shown(key, &values, Some("확인했습니다 確認しました"), &phone())
        .map(|_| ())
}

/// Regression test: Korean, Japanese and Chinese values at completion, and such names on the certificate.
#[test]
fn values_and_names_in_korean_japanese_and_chinese_reach_the_certificate() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (language, names) in [
            (Language::Ko, ["김민준", "山田太郎"]),
            (Language::En, ["张伟", "José Müller"]),
            (Language::Ja, ["山田太郎", "남궁민수"]),
        ] {
            let mut request = world.request();
            request.language = Some(language.code().to_owned());
            request.recipients = vec![
                writer(1, names[0], "one@example.com"),
                writer(2, names[1], "two@example.com"),
            ];
            let started = world.start(request);
            let id = id_of(&started);
            let key = key_of(&started.sign_url.expect("embedded"));
            sign(&world, &key, language, names[0]).expect("signed");
            world
                .approve(id, act(vec![given("pay", "1,200.5")]))
                .expect("the last approval");
            let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
            let document = app.document(&world.caller, id, &phone()).expect("the document");
            let read = text(&certificate.bytes);
            let dense = packed(&read);
            for name in names {
                assert!(read.contains(name), "{language:?}: {name} is not in:\n{read}");
            }
            assert!(
                packed(&text(&document.bytes)).contains(&packed(names[0])),
                "{language:?}"
            );
            for expected in [
                BlobHash::of(&pdf()).to_string(),
                BlobHash::of(&document.bytes).to_string(),
                BlobHash::of(app::consent::statement(language).as_bytes()).to_string(),
                app::consent::VERSION.to_owned(),
                "203.0.113.7".to_owned(),
                "Chrome126".to_owned(),
                "Android".to_owned(),
                "one@example.com".to_owned(),
                "확인했습니다確認しました".to_owned(),
            ] {
                assert!(dense.contains(&expected), "{language:?}: {expected} is not in:\n{read}");
            }
            assert!(
                !read.contains("Mozilla"),
                "{language:?}: the browser is told as people call it"
            );
            // The chain's hash after each step, as in the embedded chain.
            let chain = chain_of(&certificate.bytes);
            let approvals: Vec<&serde_json::Value> = chain["entries"]
                .as_array()
                .expect("entries")
                .iter()
                .filter(|entry| entry["payload"].to_string().contains("approved"))
                .collect();
            assert_eq!(approvals.len(), 2, "{chain}");
            for entry in approvals {
                let hash = entry["hash"].as_str().expect("a hash");
                assert!(dense.contains(hash), "{language:?}: {hash} is not in:\n{read}");
            }
        }
    });
}

/// Returns the embedded chain.
pub fn chain_of(pdf: &[u8]) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("certificate.pdf");
    std::fs::write(&file, pdf).expect("written");
    let output = Command::new("qpdf")
        .arg(&file)
        .arg("--show-attachment=chain.json")
        .output()
        .expect("qpdf can be run; script/bootstrap --tests installs it");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Regression test: a time without its zone is no evidence.
#[test]
fn the_certificate_names_its_zone_once_and_every_time_is_in_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.offset = Some("-03:30".to_owned());
        let started = world.start(request);
        let id = id_of(&started);
        let key = key_of(&started.sign_url.expect("embedded"));
        sign(&world, &key, Language::Ko, "김민준").expect("signed");
        world
            .approve(id, act(vec![given("pay", "1")]))
            .expect("the last approval");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = text(&certificate.bytes);
        assert_eq!(read.matches("UTC").count(), 1, "{read}");
        assert!(read.contains("시간대 UTC-03:30"), "{read}");
        // Started at midnight UTC.
        let times = read.matches("2025-12-31 20:3").count();
        assert!(times > 8, "{times} times in {read}");
        assert!(!read.contains("2026-01-01 0"), "{read}");
    });
}

/// The clocks go forward on 29 March 2026 in Berlin: a time with another offset than the named one says so.
#[test]
fn a_time_with_another_offset_than_the_named_one_says_so() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let change = app::CompanyChange {
            zone: domain::Zone::parse("Europe/Berlin"),
            ..app::CompanyChange::default()
        };
        app.change_company(&testkit::operator::operator(app, &world.company), &change)
            .expect("changed");
        let mut request = world.request();
        request.expiry_date = Some("2026-12-31 00:00:00".to_owned());
        let id = id_of(&world.start(request));
        app.clock.advance(120 * 24 * 60 * 60);
        world.approve(id, act(fields_of_first())).expect("the first approval");
        world
            .approve(id, act(vec![given("pay", "1")]))
            .expect("the last approval");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = text(&certificate.bytes);
        assert!(read.contains("Europe/Berlin (UTC+02:00)"), "{read}");
        assert_eq!(read.matches("UTC+02:00").count(), 1, "{read}");
        assert!(read.contains("2026-01-01 01:00:00 (UTC+01:00)"), "{read}");
    });
}

/// The chain has an entry for each value; the certificate has a row for each act, which names all of them.
#[test]
fn values_are_named_with_the_act_that_wrote_them() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.language = Some("en".to_owned());
        request.fields = vec![given("title", "Contract")];
        let started = world.start(request);
        let id = id_of(&started);
        let key = key_of(&started.sign_url.expect("embedded"));
        sign(&world, &key, Language::En, "김민준").expect("signed");
        world
            .approve(id, act(vec![given("pay", "1")]))
            .expect("the last approval");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = text(&certificate.bytes);
        assert!(!read.contains("Value entered"), "{read}");
        // The last name is followed by the next column.
        let rows: Vec<Vec<&str>> = read
            .split("Entered: ")
            .skip(1)
            .map(|rest| {
                let names = rest.split(", ");
                let last = names.clone().take_while(|name| !name.contains(' ')).count();
                names.take(last + 1).filter_map(|name| name.split(' ').next()).collect()
            })
            .collect();
        assert_eq!(rows.len(), 3, "the start and two approvals: {read}");
        let chain = chain_of(&certificate.bytes);
        let entries = chain["entries"].as_array().expect("entries");
        let payloads: Vec<serde_json::Value> = entries
            .iter()
            .map(|entry| match &entry["payload"] {
                serde_json::Value::String(text) => serde_json::from_str(text).expect("JSON"),
                payload => payload.clone(),
            })
            .collect();
        let written: Vec<String> = payloads
            .iter()
            .filter_map(|payload| {
                let text = payload.to_string();
                let field = text.split("\"field\":\"").nth(1)?.split('"').next()?;
                text.contains("value_written").then(|| field.to_owned())
            })
            .collect();
        assert!(written.len() >= 6, "{chain}");
        for field in written {
            let named = rows.iter().filter(|row| row.contains(&field.as_str())).count();
            assert_eq!(named, 1, "{field} is named once in {rows:?}");
        }
    });
}

#[test]
fn the_identity_check_of_each_signer_is_on_the_certificate() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.language = Some("en".to_owned());
        request.export = None;
        request.recipients[0] = StartRecipient {
            password: Some("850101".to_owned()),
            ..writer(1, "김민준", "kim@example.com")
        };
        let id = id_of(&world.start(request));
        let mut key = world.letter_key(id);
        app.give_access_code(&key, "wrong", &phone()).expect_err("a wrong code");
        app.clock.advance(30);
        key.proof = Some(app.give_access_code(&key, "850101", &phone()).expect("the right code"));
        sign(&world, &key, Language::En, "김민준").expect("signed");
        world
            .approve(id, act(vec![given("pay", "1")]))
            .expect("on behalf of the second");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = text(&certificate.bytes);
        for expected in [
            "Personal link created for kim@example.com",
            "Access code entered 2026-01-01 09:00:30",
            "Time zone Asia/Seoul (UTC+09:00)",
            "Wrong access codes: 1",
            "acted on the signer’s behalf through the API",
            "Chrome 126 on Android",
        ] {
            assert!(
                packed(&read).contains(&packed(expected)),
                "{expected} is not in:\n{read}"
            );
        }
    });
}

#[test]
fn a_link_is_called_sent_only_where_it_was() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (is_sent, is_copied, expected, unexpected) in [
            (
                Some(true),
                false,
                vec!["Request sent", "Personal link sent to kim@example.com"],
                "passed on",
            ),
            (
                Some(false),
                true,
                vec![
                    "Asked to sign",
                    "Personal link passed on by the sender; nothing was sent to kim@example.com",
                    "Link copied by owner@example.com on 2026-01-01",
                    "Link copied by owner@example.com: 김민준",
                ],
                "Request sent",
            ),
            (
                Some(false),
                false,
                vec!["Asked to sign", "Personal link created for kim@example.com"],
                "passed on",
            ),
            (
                None,
                false,
                vec!["Asked to sign", "Personal link created for kim@example.com"],
                "sent to kim",
            ),
        ] {
            let mut request = world.request();
            request.language = Some("en".to_owned());
            request.export = None;
            request.recipients[0] = writer(1, "김민준", "kim@example.com");
            let id = id_of(&world.start(request));
            let key = world.letter_key(id);
            if let Some(is_sent) = is_sent {
                settle_messages(app, is_sent);
            }
            if is_copied {
                let outbox = app.outbox_messages(&world.caller, None).expect("the outbox");
                app.copy_signing_link(&world.caller, outbox.messages[0].id, &phone())
                    .expect("a link");
            }
            sign(&world, &key, Language::En, "김민준").expect("signed");
            world
                .approve(id, act(vec![given("pay", "1")]))
                .expect("on behalf of the second");
            let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
            let read = packed(&text(&certificate.bytes));
            for expected in expected {
                assert!(read.contains(&packed(expected)), "{expected} is not in:\n{read}");
            }
            assert!(!read.contains(&packed(unexpected)), "{unexpected} is in:\n{read}");
            settle_messages(app, true);
        }
    });
}

#[test]
fn a_corrected_mobile_number_is_recorded_and_makes_nobody_an_earlier_signer() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.language = Some("en".to_owned());
        request.export = None;
        request.recipients[0] = writer(1, "김민준", "kim@example.com");
        let id = id_of(&world.start(request));
        let correction = CorrectRequest {
            mobile: Some("010-1234-5678".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 1, &correction, &phone())
            .expect("corrected");
        let key = key_of(&world.letters(id).last().expect("asked again").1);
        sign(&world, &key, Language::En, "김민준").expect("signed");
        world
            .approve(id, act(vec![given("pay", "1")]))
            .expect("on behalf of the second");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = packed(&text(&certificate.bytes));
        let corrected = "Recipient corrected: 김민준 (kim@example.com, 010-1234-5678)";
        assert!(read.contains(&packed(corrected)), "{read}");
        assert!(!read.contains(&packed("Earlier signer")), "{read}");
    });
}

/// Delivers all waiting messages, or marks them as kept because there is no mail server.
fn settle_messages(app: &TestApp, is_sent: bool) {
    let now = app.now();
    let settled = app.store.write_relaxed(move |tx| {
        for claimed in claim_due(tx, "lease", "owner", now, 100)? {
            if is_sent {
                let made = Try {
                    at: now,
                    duration: 1,
                    code: Some(250),
                    fault: None,
                    answer: String::new(),
                };
                outbox::finish(tx, &claimed, &made, Outcome::Delivered, now)?;
            } else {
                outbox::keep(tx, &claimed, now)?;
            }
        }
        Ok::<_, store::Error>(())
    });
    settled.expect("written");
}

#[test]
fn what_ended_early_has_a_certificate_that_says_so() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        let id = id_of(&started);
        world.approve(id, act(fields_of_first())).expect("the first approval");
        let key = world.playing_key(id);
        app.reject_by_link(&key, Some("금액이 다릅니다"), &phone())
            .expect("rejected");
        let certificate = app.certificate(&world.caller, id, &phone()).expect("the certificate");
        let read = text(&certificate.bytes);
        for expected in ["반려됨", "금액이 다릅니다", "봉인된 문서는 없습니다"] {
            assert!(read.contains(expected), "{expected} is not in:\n{read}");
        }
    });
}
