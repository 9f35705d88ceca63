//! Renders every template with sample data in every language, to check that every name used in the templates exists.
//!
//! If `COUNTERSIGN_SAMPLES` names a folder, the pages are written there, to be viewed in a browser without a server.

use std::collections::BTreeSet;
use std::path::Path;

use domain::{Field, FieldKind, Language, PageSize, Placement};
use serde_json::{Value, json};

use super::sign::texts::for_script;
use super::sign::view::{Filled, Owner, pages};
use crate::html::ending::Ending;
use crate::html::language::frame;
use crate::html::render::{ConsoleFrame, ConsoleLink, html};

fn field(kind: FieldKind, name: &str, [x, y, width, height]: [u32; 4]) -> Field {
    let placement = Placement {
        x: x * 1000,
        y: y * 1000,
        width: width * 1000,
        height: height * 1000,
    };
    Field {
        options: vec!["하나".to_owned(), "둘".to_owned()],
        ..Field::new(name, kind, 1, 1, placement)
    }
}

fn fields() -> Vec<Field> {
    let required = |mut field: Field| {
        field.required = true;
        field
    };
    vec![
        required(field(FieldKind::Text, "성명", [250, 120, 300, 25])),
        field(FieldKind::Number, "금액", [250, 160, 300, 25]),
        required(field(FieldKind::Date, "계약일", [250, 200, 300, 25])),
        field(FieldKind::Text, "비고", [250, 240, 500, 90]),
        field(FieldKind::Check, "동의", [250, 350, 24, 17]),
        Field {
            option: Some("하나".to_owned()),
            ..field(FieldKind::Radio, "구분", [250, 380, 24, 17])
        },
        Field {
            option: Some("둘".to_owned()),
            ..field(FieldKind::Radio, "구분", [320, 380, 24, 17])
        },
        field(FieldKind::Select, "종류", [250, 420, 300, 25]),
        required(field(FieldKind::Signature, "서명", [150, 600, 250, 70])),
        field(FieldKind::Seal, "도장", [420, 600, 110, 70]),
        field(FieldKind::Image, "사진", [560, 600, 150, 70]),
        field(FieldKind::Attachment, "신분증", [730, 600, 150, 25]),
        field(FieldKind::Signature, "갑 서명", [150, 720, 250, 70]),
        field(FieldKind::Text, "갑 성명", [420, 720, 250, 25]),
        field(FieldKind::Label, "번호", [600, 50, 250, 25]),
        field(FieldKind::Check, "갑 확인", [700, 720, 24, 17]),
    ]
}

fn sign(language: Language, mode: &str) -> Value {
    let fields = fields();
    let value = |field: &Field| match field.name.as_str() {
        "번호" => Some("2026-0042"),
        "비고" => Some(
            "연장 근로는 월 12시간 이내로 한다.
그 밖의 사항은 취업 규칙에 따른다.",
        ),
        "갑 확인" | "동의" => Some("Y"),
        _ => None,
    };
    let filled: Vec<Filled<'_>> = fields
        .iter()
        .map(|field| Filled {
            field,
            owner: match field.name.as_str() {
                "번호" => Owner::Sender,
                "갑 확인" => Owner::Done("박서연".to_owned()),
                name if name.starts_with('갑') => Owner::Waiting("박서연".to_owned()),
                _ if mode == "view" => Owner::Waiting("김민준".to_owned()),
                _ => Owner::Mine,
            },
            value: value(field),
            look: app::BoxLook::default(),
            fault: None,
            src: None,
        })
        .collect();
    let sizes = [PageSize {
        width_points: 595.0,
        height_points: 842.0,
    }; 2];
    json!({
        "mode": mode,
        "document": "근로계약서",
        "sender": "한빛상사",
        "writer": "김민준",
        "waiting_for": "김민준",
        "ended": null,
        "step": 1,
        "steps": 2,
        "comment": "안녕하세요.\n내용을 확인하고 서명해 주세요.",
        "until": i18n::date_time(language, domain::time::from_microseconds(1_796_000_000_000_000), domain::Zone::SEOUL),
        "until_day": i18n::date(language, jiff::civil::date(2026, 11, 30)),
        "next_sign": true,
        "hand_over": true,
        "continued": true,
        "original": "/sign/document",
        "pages": pages(language, &sizes, &filled, |part, number| format!("{part}-{number}")),
        "data": {
            "token": "sample", "workflow_id": 1, "recipient_id": 1, "mode": if mode == "sign" { "preview" } else { mode },
            "language": language.code(), "base": "", "callback": false, "consented": false, "consent_version": "2026-11",
            "writer_name": "김민준", "next_names": ["박서연"], "draft": {"link": 1, "revision": 0, "changes": {}}, "texts": for_script(language, "sign"),
        },
        "act": "sign",
    })
}

fn verdict_words(language: Language, result: &str, standing: &str) -> Value {
    let say = |key: &str| i18n::text(language, key, &[]);
    let is_valid = standing == "valid";
    json!({
        "outcome": if is_valid { "holds" } else { "does_not_hold" },
        "title": say(result), "text": say(&format!("{result}-text")),
        "problems": if is_valid { Vec::new() } else { vec![say("verify-fault-not-covered")] },
        "times": i18n::text(language, "verify-times", &[("zone", "Asia/Seoul (UTC+09:00)")]),
        "signatures": [{
            "title": i18n::text(language, "verify-kind-certification", &[("field", "Seal1")]),
            "standing": standing,
            "state": say(if is_valid { "verify-state-valid" } else { "verify-state-invalid" }),
            "facts": [
                {"label": say("verify-fact-signer"), "value": "한빛상사"},
                {"label": say("verify-fact-level"), "value": say("verify-level-b-lta")},
            ],
            "problems": if is_valid { Vec::new() } else { vec![say("verify-fault-digest")] },
            "not_proved": [say("verify-note-time")],
            "later": [i18n::text(language, "verify-how-added", &[("what", &say("verify-part-timestamp"))])],
        }],
    })
}

/// A name, its template, and the template's data.
type Sample = (String, &'static str, Value);

fn signing(language: Language) -> Vec<Sample> {
    vec![
        ("sign".to_owned(), "sign.html", sign(language, "sign")),
        ("preview".to_owned(), "sign.html", sign(language, "preview")),
        ("sender".to_owned(), "sign.html", sign(language, "view")),
        (
            "viewer".to_owned(),
            "viewer.html",
            json!({
                "kind": i18n::text(language, "view-title-document", &[]), "document": "근로계약서",
                "completed": "2026", "download": "#", "verify": "/verify",
                "pages": [{
                    "src": "pages-1", "text": "texts-1", "width": 1240, "height": 1754, "number": 1,
                    "width_points": 595.0, "height_points": 842.0,
                }],
            }),
        ),
    ]
}

/// The forms for codes.
fn codes(language: Language) -> Vec<Sample> {
    vec![
        (
            "access-code".to_owned(),
            "access_code.html",
            json!({
                "action": "/sign/access-code", "document": "근로계약서", "hint": "생일 6자리", "wrong": false, "left": 5,
            }),
        ),
        (
            "access-code-wrong".to_owned(),
            "access_code.html",
            json!({
                "action": "/sign/access-code", "document": "근로계약서", "hint": null, "wrong": true, "left": 3,
            }),
        ),
        (
            "one-time-code".to_owned(),
            "one_time_code.html",
            json!({
                "action": "/sign/one-time-code", "form": "00", "send_action": "/sign/one-time-code/send", "document": "근로계약서",
                "to": "m•••@example.com", "sent": false, "minutes": 10, "wrong": false,
                "fault": null,
            }),
        ),
        (
            "one-time-code-wrong".to_owned(),
            "one_time_code.html",
            json!({
                "action": "/sign/one-time-code", "form": "00", "send_action": "/sign/one-time-code/send", "document": "근로계약서",
                "to": "m•••@example.com", "sent": true, "minutes": 10, "wrong": true,
                "fault": i18n::text(language, "sign-one-time-wrong", &[]),
            }),
        ),
    ]
}

fn links(language: Language) -> Vec<Sample> {
    vec![
        (
            "link".to_owned(),
            "link.html",
            json!({
                "action": "/link", "company": "한빛상사", "document": "회원 가입 신청서", "promises_copy": true,
                "confirm": false, "name": "", "contact": "", "agreed": false, "notice": null, "name_fault": null,
                "contact_fault": null, "agree_fault": null,
            }),
        ),
        (
            "link-throttled".to_owned(),
            "link.html",
            json!({
                "action": "/link", "company": "한빛상사", "document": "회원 가입 신청서", "promises_copy": true,
                "confirm": false, "name": "김민준", "contact": "minjun@example.com", "agreed": true,
                "notice": i18n::text(language, "error-link-network-throttled", &[("wait", &i18n::wait(language, 600))]),
                "name_fault": null, "contact_fault": null, "agree_fault": null,
            }),
        ),
        (
            "link-wrong".to_owned(),
            "link.html",
            json!({
                "action": "/link", "company": "한빛상사", "document": "회원 가입 신청서", "promises_copy": false,
                "confirm": true, "name": "", "contact": "minjun@", "agreed": true, "notice": null,
                "name_fault": i18n::text(language, "link-required", &[]),
                "contact_fault": i18n::text(language, "error-invalid-contact", &[]), "agree_fault": null,
            }),
        ),
    ]
}

fn verdicts(language: Language) -> Vec<Sample> {
    vec![
        (
            "verify".to_owned(),
            "verify.html",
            json!({
                "data": {}, "verdicts": [], "pair": null, "action": "/verify", "limit": 1000, "most": 2, "fault": "",
            }),
        ),
        (
            "verify-good".to_owned(),
            "verify.html",
            json!({
                "data": {}, "pair": null, "action": "/verify", "limit": 1000, "most": 2, "fault": "",
                "verdicts": [{
                    "tone": "good", "symbol": "shield", "name": "근로계약서.pdf",
                    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                    "words": verdict_words(language, "verify-result-good", "valid"), "chain": null,
                }],
            }),
        ),
        (
            "verify-bad".to_owned(),
            "verify.html",
            json!({
                "data": {}, "pair": null, "action": "/verify", "limit": 1000, "most": 2, "fault": "",
                "verdicts": [{
                    "tone": "bad", "symbol": "alert", "name": "a.pdf", "hash": "00",
                    "words": verdict_words(language, "verify-result-bad", "not_valid"), "chain": null,
                }],
            }),
        ),
    ]
}

fn members(language: Language) -> Vec<Sample> {
    vec![
        (
            "login".to_owned(),
            "login.html",
            json!({
                "action": "/sign-in", "csrf": "x", "next": "/outbox", "fault": i18n::text(language, "login-wrong", &[]),
                "company_id": "hanbit", "email": "",
            }),
        ),
        (
            "outbox".to_owned(),
            "outbox.html",
            json!({
                "seal_warning": null, "messages": [
                    {"href": "#", "subject": "[한빛상사] 근로계약서 서명 요청", "to": "minjun@example.com", "channel": i18n::text(language, "outbox-channel-mail", &[]), "status": i18n::text(language, "outbox-status-failed", &[]), "tone": "bad", "failure": "535 5.7.8 authentication failed", "at": "2026-11-28"},
                    {"href": "#", "subject": "[한빛상사] 근로계약서 서명 요청", "to": "010-1234-5678", "channel": i18n::text(language, "outbox-channel-messenger", &[]), "status": i18n::text(language, "outbox-status-kept", &[]), "tone": "warn", "failure": null, "at": "2026-11-28"},
                ],
                "newest": "#", "older": "#",
            }),
        ),
        (
            "outbox-empty".to_owned(),
            "outbox.html",
            json!({
                "seal_warning": null, "messages": [],
                "newest": null, "older": null,
            }),
        ),
        (
            "message".to_owned(),
            "message.html",
            json!({
                "csrf": "x", "back": "/outbox", "copy": null, "copied": null, "refused": null,
                "message": {"subject": "근로계약서", "to": "minjun@example.com", "channel": "", "status": i18n::text(language, "outbox-status-waiting", &[]), "failure": null, "at": "2026", "body": "안녕하세요.\n…", "hides_link": false, "links": [{"label": i18n::text(language, "mail-completed-document", &[]), "url": "https://example.com/"}, {"label": i18n::text(language, "mail-completed-certificate", &[]), "url": "https://example.com/"}]},
            }),
        ),
        (
            "message-copy".to_owned(),
            "message.html",
            json!({
                "csrf": "x", "back": "/outbox", "copy": "/outbox/1/link", "copied": null, "refused": null,
                "message": {"subject": "근로계약서", "to": "minjun@example.com", "channel": "", "status": i18n::text(language, "outbox-status-kept", &[]), "failure": null, "at": "2026", "body": "안녕하세요.\n[…]", "hides_link": true, "links": []},
            }),
        ),
        (
            "message-copied".to_owned(),
            "message.html",
            json!({
                "csrf": "x", "back": "/outbox", "copy": null, "copied": "https://sign.example.com/mail/sign?token=UwAAAAAAAAAqAAAAAQ&lang=ko",
                "refused": i18n::text(language, "error-link-was-sent", &[]),
                "message": {"subject": "근로계약서", "to": "minjun@example.com", "channel": "", "status": i18n::text(language, "outbox-status-failed", &[]), "failure": "550 5.1.1 no such user", "at": "2026", "body": "안녕하세요.\n[…]", "hides_link": true, "links": []},
            }),
        ),
    ]
}

fn navigation(language: Language) -> ConsoleFrame {
    let link = |key: &str, is_current: bool| ConsoleLink {
        href: "#".to_owned(),
        text: i18n::text(language, key, &[]),
        is_current,
    };
    ConsoleFrame {
        links: vec![link("documents-title", true), link("outbox-title", false)],
        email: "owner@example.com".to_owned(),
        company_name: "한빛상사".to_owned(),
        sign_out: "/sign-out".to_owned(),
        csrf: "x".to_owned(),
    }
}

/// The first run, with and without its code.
fn first_run(language: Language) -> Vec<Sample> {
    let entry = |name: &str, kind: &str, fault: Option<&str>| {
        let label = i18n::text(language, &format!("first-run-{}", name.replace('_', "-")), &[]);
        let fault = fault.map(|key| i18n::text(language, key, &[]));
        json!({
            "name": name, "label": label, "hint": null, "kind": kind, "autocomplete": "off", "value": "", "fault": fault,
        })
    };
    let sample = |has_code: bool| {
        json!({
            "action": "#", "has_code": has_code, "fault": null, "zone": "Asia/Seoul", "zones": ["Asia/Seoul", "Asia/Tokyo"],
            "entries": [
                entry("company_name", "text", None), entry("company", "text", None), entry("name", "text", None),
                entry("email", "email", None), entry("password", "password", Some("error-password-too-weak")),
            ],
        })
    };
    vec![
        ("first-run".to_owned(), "first_run.html", sample(true)),
        ("first-run-no-code".to_owned(), "first_run.html", sample(false)),
    ]
}

/// The members' documents.
fn documents(language: Language) -> Vec<Sample> {
    let say = |key: &str| i18n::text(language, key, &[]);
    let waits = i18n::text(
        language,
        "documents-waits",
        &[("names", "김민준"), ("step", "1"), ("steps", "2")],
    );
    let tabs: Vec<serde_json::Value> = ["all", "in-progress", "complete", "ended"]
        .iter()
        .map(|tab| json!({"href": "#", "text": say(&format!("documents-tab-{tab}")), "is_current": *tab == "all"}))
        .collect();
    let row = |name: &str, status: &str, symbol: &str, tone: &str, waits_for: Option<&str>, is_bad: bool| {
        json!({
            "href": "#", "name": name, "status": say(status), "symbol": symbol, "tone": tone, "sender": "이서연",
            "waits_for": waits_for, "changed": "2026-11-28", "has_failed_message": is_bad, "has_failed_webhook": is_bad,
            "expires_soon": is_bad.then(|| i18n::text(language, "documents-expires", &[("date", "2026-12-01")])),
        })
    };
    let list = |rows: Vec<serde_json::Value>, tab: &str, is_filtered: bool| {
        json!({
            "action": "/documents", "tab": tab, "tabs": tabs, "text": "", "from": "", "to": "", "clear": "#",
            "is_filtered": is_filtered, "rows": rows, "newest": "#", "older": "#", "api_docs": "/api/docs", "done": null,
        })
    };
    let rows = vec![
        row(
            "근로계약서",
            "documents-status-in-progress",
            "clock",
            "",
            Some(&waits),
            true,
        ),
        row(
            "비밀유지 계약서",
            "documents-status-complete",
            "check",
            "good",
            None,
            false,
        ),
        row(
            "임대차 계약서",
            "documents-status-declined",
            "cross",
            "bad",
            None,
            false,
        ),
        row("견적서", "documents-status-expired", "clock", "warn", None, false),
    ];
    vec![
        ("documents".to_owned(), "documents.html", list(rows, "all", false)),
        (
            "documents-empty".to_owned(),
            "documents.html",
            list(Vec::new(), "all", false),
        ),
        (
            "documents-none-found".to_owned(),
            "documents.html",
            list(Vec::new(), "all", true),
        ),
        (
            "documents-none-here".to_owned(),
            "documents.html",
            list(Vec::new(), "ended", false),
        ),
    ]
}

/// One document, as its page shows it.
fn document(language: Language) -> Vec<Sample> {
    let say = |key: &str| i18n::text(language, key, &[]);
    let signer = |order: u32, state: &str, tone: &str| {
        json!({
            "order": order, "role": null, "name": "김민준", "contact": "minjun@example.com", "comment": "",
            "state": i18n::text(language, state, &[("date", "2026-11-28")]), "tone": tone, "can_correct": tone != "good",
        })
    };
    let document = |is_in_progress: bool, may_send: bool| {
        json!({
            "action": "#", "back": "#", "csrf": "x", "id": "42", "name": "근로계약서", "symbol": "clock", "tone": "",
            "status": say("documents-status-in-progress"), "sender": "이서연", "comment": "확인 부탁드립니다.",
            "end_comment": "", "started": "2026-11-28", "expires": is_in_progress.then_some("2026-12-05"),
            "ended": (!is_in_progress).then_some("2026-11-30"), "copies": ["박지훈 (jihun@example.com)"],
            "signers": [signer(1, "document-signer-signed", "good"), signer(2, "document-signer-turn", "warn")],
            "events": [
                {"at": "2026-11-28", "text": say("event-started"), "who": "이서연", "detail": "", "from": ""},
                {"at": "2026-11-28", "text": say("event-approved"), "who": "김민준", "detail": "“네”", "from": "203.0.113.7"},
            ],
            "messages": [
                {"href": may_send.then_some("#"), "subject": "서명 요청", "to": "minjun@example.com", "tone": "good",
                    "state": say("outbox-status-sent"), "failure": null, "at": "2026-11-28"},
            ],
            "values": [{"name": "salary", "value": "3,000,000"}], "view": if is_in_progress { "#" } else { "" },
            "file": (!is_in_progress).then_some("#"), "certificate": (!is_in_progress).then_some("#"),
            "may_send": may_send, "is_in_progress": is_in_progress, "can_remind": is_in_progress,
            "done": say("document-done-remind"), "refused": null,
        })
    };
    vec![
        ("document".to_owned(), "document.html", document(true, true)),
        ("document-ended".to_owned(), "document.html", document(false, false)),
    ]
}

fn samples(language: Language) -> Vec<Sample> {
    let mut samples: Vec<Sample> = [signing, codes, links, verdicts, members, documents, document, first_run]
        .into_iter()
        .flat_map(|group| group(language))
        .collect();
    for ending in Ending::ALL {
        samples.push((
            format!("end-{ending:?}")
                .to_lowercase()
                .split('(')
                .next()
                .unwrap_or_default()
                .to_owned(),
            "end.html",
            json!({"tone": "good", "symbol": "check", "text": ending.title(language), "document": "근로계약서",
                "links": [{"href": "/verify", "text": i18n::text(language, "view-verify", &[])}]}),
        ));
    }
    let docs = serde_json::to_value(crate::pages::docs::docs(language, "https://sign.example.com", ""));
    samples.push(("docs".to_owned(), "docs.html", docs.expect("data")));
    samples
}

#[test]
fn every_template_is_written_in_every_language() {
    let folder = std::env::var_os("COUNTERSIGN_SAMPLES");
    let mut seen = BTreeSet::new();
    for language in Language::ALL {
        for (name, template, content) in samples(language) {
            let mut page = frame(language, "", name.clone(), "/sample", &[]);
            if ["documents.html", "document.html", "outbox.html", "message.html"].contains(&template) {
                page.console = Some(navigation(language));
            }
            let text = html(template, &page, &content).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert!(text.contains(&format!("<html lang=\"{}\"", language.code())), "{name}");
            assert!(!text.contains("style="), "{name}: the policy forbids style attributes");
            assert!(
                !text.contains(" onclick"),
                "{name}: the policy forbids handlers in attributes"
            );
            seen.insert(template);
            if let Some(folder) = &folder {
                let file = Path::new(folder).join(format!("{name}.{}.html", language.code()));
                std::fs::write(file, text.replace("/assets/", "assets/")).expect("the folder is there");
            }
        }
    }
    let skipped = ["base.html", "icons.html"];
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/pages")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(
            seen.contains(name.as_str()) || skipped.contains(&name.as_str()),
            "{name} has no sample"
        );
    }
}

/// Translators should not have to maintain unused texts.
#[test]
fn every_sentence_of_the_pages_is_used() {
    fn collect(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, text);
            } else if let Ok(more) = std::fs::read_to_string(&path) {
                text.push_str(&more);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = String::new();
    for folder in ["templates/pages", "crates/http/src/html", "crates/http/src/pages"] {
        collect(&root.join(folder), &mut sources);
    }
    let pages = std::fs::read_to_string(root.join("locales/en/pages.ftl")).unwrap();
    let composed = [
        "sign-field-",
        "end-",
        "sign-pad-title-",
        "sign-hand-",
        "sign-seal-",
        "docs-call-",
        "docs-tag-",
        "documents-tab-",
        "first-run-",
        "document-done-",
    ];
    let unused: Vec<&str> = pages
        .lines()
        .filter(|line| !line.starts_with([' ', '#']))
        .filter_map(|line| line.split_once(" = ").map(|(key, _)| key))
        .filter(|key| !composed.iter().any(|start| key.starts_with(start)))
        .filter(|key| !sources.contains(&format!("\"{key}\"")))
        .collect();
    assert!(unused.is_empty(), "unused sentences: {unused:?}");
}
