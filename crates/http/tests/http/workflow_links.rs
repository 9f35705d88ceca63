//! `POST /api/v3/workflows/{id}/links`: the effect of revoking and renewing on each kind of link, in each state.

use domain::{CompanyId, Role};
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, Server, plain, start_body, token_of_writer, values_of};

testkit::on_both_databases!(
    links_are_renewed_and_revoked_in_every_state,
    revoked_links_open_nothing_and_nothing_makes_new_ones,
    a_completion_while_links_are_revoked_is_announced_without_them,
    revoking_twice_changes_nothing_and_of_renewed_links_only_the_newest_work,
    renewed_links_work_for_the_companys_days_from_then_on,
    signers_links_to_sign_are_left_alone,
    a_signers_link_shows_the_document_no_longer_than_the_links_to_its_files,
    a_discarded_document_has_no_links_until_they_are_renewed,
    what_asks_for_links_wrongly_is_refused_and_changes_nothing,
    of_many_revocations_at_once_one_is_written,
);

const DAY: i64 = 24 * 60 * 60;
const URLS: [&str; 3] = ["playing_url", "download_url", "certificate_url"];

fn look(server: &Server, path: &str) -> Answer {
    server.send(server.request("GET", path, None).header("accept-language", "en"))
}

fn local(address: &Value) -> String {
    let address = address.as_str().expect("an address");
    address
        .strip_prefix(BASE)
        .unwrap_or_else(|| panic!("{address:?}"))
        .to_owned()
}

fn token_in(path: &str) -> &str {
    let rest = path.split_once("token=").expect("a token").1;
    rest.split('&').next().unwrap_or(rest)
}

fn links(server: &Server, token: &str, id: &Value, action: &str) -> Answer {
    server.post(
        &format!("/api/v3/workflows/{id}/links"),
        Some(token),
        &json!({"action": action}),
    )
}

fn view(server: &Server, token: &str, id: &Value) -> Value {
    server.get(&format!("/api/v3/workflows/{id}"), token).ok()
}

/// The actors of all events of this kind.
fn events(server: &Server, token: &str, id: &Value, kind: &str) -> Vec<String> {
    let seen = view(server, token, id);
    let all = seen["history"].as_array().expect("history");
    let of_kind = all.iter().filter(|entry| entry["event"] == kind);
    of_kind
        .map(|entry| entry["actor_email"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// A start that is not embedded, so the sender follows it through a link of their own.
fn by_mail(template: i64) -> Value {
    let mut body = start_body(template);
    body.as_object_mut().expect("members").remove("export_api_info");
    body
}

fn complete(server: &Server, token: &str, body: &Value) -> Value {
    let id = server.start(token, body).ok()["workflow_id"].clone();
    finish(server, token, &id);
    id
}

fn finish(server: &Server, token: &str, id: &Value) {
    for order in [1, 2] {
        server
            .act(token, id, "approve", &json!({"field_list": values_of(order)}))
            .ok();
    }
}

#[track_caller]
fn assert_gone(server: &Server, path: &str, title: &str) {
    let answer = look(server, &path.replace("lang=ko", "lang=en"));
    assert_eq!(answer.status, 410, "{path}");
    assert!(answer.html().contains(title), "{}", answer.html());
}

fn links_are_renewed_and_revoked_in_every_state(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let mut body = by_mail(template);
    body["recipient_list"].as_array_mut().expect("a list").truncate(1);
    body["expiry_date"] = json!("2026-01-20 00:00:00");
    let mut all = Vec::new();
    for (act, status) in [
        ("approve", "Complete"),
        ("reject", "Rejected"),
        ("cancel", "Canceled"),
        ("", "Expired"),
        ("", "Playing"),
    ] {
        if status == "Playing" {
            body["expiry_date"] = json!("2027-01-01 00:00:00");
        }
        let started = server.start(&token, &body).ok();
        let id = started["workflow_id"].clone();
        if !act.is_empty() {
            server.act(&token, &id, act, &json!({"comment": "done"})).ok();
        }
        all.push((id, status, started["token"].as_str().expect("a token").to_owned()));
    }
    server.clock.advance(25 * DAY);
    let token = server.token("acme", "owner@example.com");
    for (id, status, watch) in &all {
        assert_eq!(view(&server, &token, id)["status"], *status);
        let page = format!("/mail/sign?token={watch}&lang=en");
        assert_eq!(look(&server, &page).status, 200, "{status}: the sender's view");
        let revoked = links(&server, &token, id, "revoke").ok();
        assert_eq!(&revoked["workflow_id"], id);
        for url in URLS {
            assert_eq!(revoked[url], "", "{status}: {url}");
            assert_eq!(view(&server, &token, id)[url], "", "{status}: {url}");
        }
        assert_gone(&server, &page, "This link is no longer valid");
        let renewed = links(&server, &token, id, "renew").ok();
        for url in URLS {
            let has_one = match url {
                "playing_url" => *status == "Playing",
                _ => *status == "Complete",
            };
            let address = renewed[url].as_str().expect("a text");
            assert_eq!(!address.is_empty(), has_one, "{status}: {url}");
            assert_eq!(
                view(&server, &token, id)[url].as_str(),
                Some(address),
                "{status}: {url}"
            );
            if has_one {
                assert_eq!(look(&server, &local(&renewed[url])).status, 200, "{status}: {url}");
            }
        }
        assert_gone(&server, &page, "This link is no longer valid");
        for kind in ["links_revoked", "links_renewed"] {
            assert_eq!(events(&server, &token, id, kind), ["owner@example.com"], "{status}");
        }
    }
    assert!(server.app.audit_verify().expect("a report").is_clean());
}

fn revoked_links_open_nothing_and_nothing_makes_new_ones(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let id = complete(&server, &token, &by_mail(template));
    let before = view(&server, &token, &id);
    let addresses = ["download_url", "certificate_url"].map(|url| local(&before[url]));
    let html = look(&server, &addresses[0]).html();
    let picture = html
        .split('"')
        .find(|part| part.starts_with("/mail/view/pages/"))
        .expect("a picture")
        .to_owned();
    assert_eq!(look(&server, &picture).status, 200);
    let sign = token_of_writer(&server, &company, &id);
    let used = || look(&server, &format!("/mail/sign?token={sign}&lang=en"));
    assert!(used().html().contains("Open the finished document"));

    links(&server, &token, &id, "revoke").ok();
    for address in &addresses {
        let file = format!("/mail/file?token={}&lang=ko", token_in(address));
        for path in [address, &file] {
            assert_gone(&server, path, "This link no longer works");
            // The page uses the reader's language.
            let answer = look(&server, &path.replace("lang=ko", "lang=ja"));
            assert!(
                answer.status == 410 && answer.html().contains("<html lang=\"ja\""),
                "{path}"
            );
            let head = server.send(server.request("HEAD", path, None));
            assert_eq!(head.status, 410, "{path}");
        }
    }
    for part in ["pages", "texts"] {
        let problem = look(&server, &picture.replace("pages", part)).problem(409);
        assert_eq!(problem["code"], "link-replaced", "{part}");
    }
    let seen = view(&server, &token, &id);
    for url in URLS {
        assert_eq!(seen[url], "", "{url}");
    }
    assert!(!used().html().contains("/mail/view"), "{}", used().html());
    // Members can still download the files.
    for file in ["document", "certificate"] {
        assert_eq!(
            server.get(&format!("/api/v3/workflows/{id}/{file}"), &token).status,
            200
        );
    }
    links(&server, &token, &id, "renew").ok();
    assert!(used().html().contains("Open the finished document"));
}

fn a_completion_while_links_are_revoked_is_announced_without_them(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    for embedded in [true, false] {
        body["export_api_info"]["is_embed"] = json!(embedded);
        let id = server.start(&token, &body).ok()["workflow_id"].clone();
        links(&server, &token, &id, "revoke").ok();
        finish(&server, &token, &id);
        let mails = server.mails();
        let completed = mails.iter().filter(|mail| mail.subject.contains("완료"));
        let completed: Vec<_> = completed.collect();
        assert!(!completed.is_empty());
        for mail in completed {
            assert!(mail.links.is_empty() && !mail.text.contains("token="), "{}", mail.text);
        }
        let (hooks, _) = server.drain();
        let last = &hooks.last().expect("a webhook").body;
        assert_eq!(last["status"], "Complete");
        for url in ["download_url", "certificate_url"] {
            let expected = if embedded { json!("") } else { Value::Null };
            assert_eq!(last[url], expected, "{url}");
        }
        // Renewing creates links again.
        let renewed = links(&server, &token, &id, "renew").ok();
        assert_eq!(look(&server, &local(&renewed["download_url"])).status, 200);
    }
}

fn revoking_twice_changes_nothing_and_of_renewed_links_only_the_newest_work(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = complete(&server, &token, &start_body(template));
    let webhook = server.drain().0.pop().expect("a webhook").body;
    let at_first = local(&view(&server, &token, &id)["download_url"]);
    let renew = || local(&links(&server, &token, &id, "renew").ok()["download_url"]);
    let (second, third) = (renew(), renew());
    let in_webhook = local(&webhook["download_url"]);
    for dead in [&at_first, &second, &in_webhook] {
        assert_gone(&server, dead, "This link no longer works");
    }
    assert_eq!(look(&server, &third).status, 200);
    let answers = [(); 2].map(|()| links(&server, &token, &id, "revoke").ok());
    assert_eq!(answers[0], answers[1]);
    assert_gone(&server, &third, "This link no longer works");
    assert_eq!(events(&server, &token, &id, "links_revoked").len(), 1);
    assert_eq!(events(&server, &token, &id, "links_renewed").len(), 2);
    // Dead links stay dead after a renewal.
    let fourth = renew();
    for dead in [&at_first, &second, &third, &in_webhook] {
        assert_gone(&server, dead, "This link no longer works");
    }
    assert_eq!(look(&server, &fourth).status, 200);
}

fn renewed_links_work_for_the_companys_days_from_then_on(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let started = server.start(&token, &by_mail(template)).ok();
    let id = started["workflow_id"].clone();
    finish(&server, &token, &id);
    let sign = token_of_writer(&server, &company, &id);
    let offered = || {
        let page = look(&server, &format!("/mail/sign?token={sign}&lang=en")).html();
        let found = page
            .split('"')
            .find(|part| part.contains("/mail/view?"))
            .map(str::to_owned);
        found.map(|address| address.strip_prefix(BASE).unwrap_or(&address).to_owned())
    };
    assert!(offered().is_some());
    server.clock.advance(40 * DAY);
    assert_eq!(offered(), None, "its links are over");
    let token = server.token("acme", "owner@example.com");
    let renewed = links(&server, &token, &id, "renew").ok();
    let both = ["download_url", "certificate_url"].map(|url| local(&renewed[url]));
    let of_signer = offered().expect("the signer finds it again");
    server.clock.advance(30 * DAY - 1);
    for address in both.iter().chain([&of_signer]) {
        assert_eq!(look(&server, address).status, 200, "{address}");
    }
    assert!(offered().is_some());
    server.clock.advance(2);
    for address in both.iter().chain([&of_signer]) {
        assert_gone(&server, address, "This link no longer works");
    }
    assert_eq!(offered(), None);
}

fn signers_links_to_sign_are_left_alone(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = &started["workflow_id"];
    for action in ["revoke", "renew"] {
        let answer = links(&server, &token, id, action).ok();
        assert_eq!(answer["playing_url"], started["sign_url"], "{action}");
        assert_eq!(
            view(&server, &token, id)["playing_url"],
            started["sign_url"],
            "{action}"
        );
        let page = look(&server, &local(&started["sign_url"]));
        assert!(page.status == 200 && page.html().contains("<document-page"), "{action}");
    }
}

fn a_signers_link_shows_the_document_no_longer_than_the_links_to_its_files(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = |end: &str| {
        let started = server.start(&token, &start_body(template)).ok();
        let id = started["workflow_id"].clone();
        let sign = started["token"].as_str().expect("a token").to_owned();
        let html = look(&server, &local(&started["sign_url"])).html();
        let picture = html.split('"').find(|part| part.starts_with("/sign/pages/"));
        let picture = picture.expect("a picture").to_owned();
        match end {
            "complete" => finish(&server, &token, &id),
            _ => drop(server.act(&token, &id, end, &json!({"comment": "no"})).ok()),
        }
        (id, sign, picture)
    };
    let shown = |(_, sign, picture): &(Value, String, String)| {
        let original = server
            .request("POST", "/sign/document", None)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(format!("token={sign}"));
        let statuses = [
            look(&server, picture).status,
            look(&server, &picture.replace("pages", "texts")).status,
            look(&server, &format!("/sign/file?token={sign}&name=sign")).status,
            server.send(original).status,
        ];
        statuses.map(|status| status < 400)
    };
    let open = [true, true, true, true];
    let revoked = started("complete");
    assert_eq!(shown(&revoked), open);
    links(&server, &token, &revoked.0, "revoke").ok();
    assert_eq!(shown(&revoked), [false; 4]);
    let problem = look(&server, &revoked.2).problem(409);
    assert_eq!(problem["code"], "link-replaced");
    // The page itself still shows the outcome of the document.
    let page = look(&server, &format!("/mail/sign?token={}&lang=en", revoked.1));
    assert_eq!(page.status, 409);

    let (complete, rejected) = (started("complete"), started("reject"));
    let has_no_file = [true, true, false, true];
    server.clock.advance(30 * DAY);
    assert_eq!((shown(&complete), shown(&rejected)), (open, has_no_file));
    server.clock.advance(1);
    assert_eq!((shown(&complete), shown(&rejected)), ([false; 4], [false; 4]));
}

fn a_discarded_document_has_no_links_until_they_are_renewed(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &by_mail(template)).ok();
    let id = started["workflow_id"].clone();
    finish(&server, &token, &id);
    let watch = format!(
        "/mail/sign?token={}&lang=en",
        started["token"].as_str().expect("a token")
    );
    let before = view(&server, &token, &id);
    assert_eq!(look(&server, &watch).status, 200);
    for _ in 0..2 {
        server.act(&token, &id, "discard", &json!({})).ok();
    }
    assert_gone(&server, &watch, "This link is no longer valid");
    for url in ["download_url", "certificate_url"] {
        assert_gone(&server, &local(&before[url]), "This link no longer works");
        assert_eq!(view(&server, &token, &id)[url], "", "{url}");
    }
    for kind in ["discarded", "links_revoked"] {
        assert_eq!(events(&server, &token, &id, kind), ["owner@example.com"], "{kind}");
    }
    let renewed = links(&server, &token, &id, "renew").ok();
    assert_eq!(look(&server, &local(&renewed["download_url"])).status, 200);
    // Discarding does not revoke links a second time.
    let other = complete(&server, &token, &by_mail(template));
    links(&server, &token, &other, "revoke").ok();
    server.act(&token, &other, "discard", &json!({})).ok();
    assert_eq!(events(&server, &token, &other, "links_revoked").len(), 1);
    assert!(server.app.audit_verify().expect("a report").is_clean());
}

fn what_asks_for_links_wrongly_is_refused_and_changes_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template): (CompanyId, String, i64) = server.with_company("acme");
    let id = complete(&server, &token, &start_body(template));
    let address = local(&view(&server, &token, &id)["download_url"]);
    let path = format!("/api/v3/workflows/{id}/links");
    for (body, code) in [
        (json!({}), "required"),
        (json!({"action": null}), "required"),
        (json!({"action": ""}), "not-allowed"),
        (json!({"action": "Revoke"}), "not-allowed"),
        (json!({"action": "delete"}), "not-allowed"),
        (json!({"action": 1}), "wrong-type"),
        (json!({"action": "revoke\u{0}"}), "control-character"),
    ] {
        let answer = server.post(&path, Some(&token), &body);
        assert_eq!(answer.faults(), [("action".to_owned(), code.to_owned())], "{body}");
    }
    let none = server.send(server.request("POST", &path, Some(&token)).body("revoke"));
    assert_eq!(none.problem(400)["code"], "not-json");
    server.company("other");
    let stranger = server.token("other", "owner@example.com");
    for action in ["renew", "revoke"] {
        links(&server, &stranger, &id, action).problem(404);
        links(&server, &token, &json!(999_999_999), action).problem(404);
    }
    server.member(&company, "auditor@example.com", Role::Auditor);
    let auditor = server.token("acme", "auditor@example.com");
    assert_eq!(links(&server, &auditor, &id, "revoke").problem(403)["code"], "role");
    assert_eq!(look(&server, &address).status, 200);
    for kind in ["links_revoked", "links_renewed"] {
        assert!(events(&server, &token, &id, kind).is_empty(), "{kind}");
    }
}

fn of_many_revocations_at_once_one_is_written(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = complete(&server, &token, &start_body(template));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| links(&server, &token, &id, "revoke").ok());
        }
    });
    assert_eq!(events(&server, &token, &id, "links_revoked").len(), 1);
    assert!(server.app.audit_verify().expect("a report").is_clean());
}
