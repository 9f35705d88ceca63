//! Sending a PDF once, without keeping a template.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, Server, contract, pdf, start_body, values_of};

testkit::on_both_databases!(
    a_pdf_is_sent_and_completed_without_a_template_in_the_list,
    what_is_refused_leaves_nothing_behind,
    a_member_who_sends_the_same_twice_at_once_leaves_one_template,
    a_preview_of_what_is_sent_once_goes_with_its_template,
    the_template_of_what_is_sent_once_is_nobody_elses,
    a_template_beside_a_file_is_ignored_and_named,
);

mod sql {
    store::statements! {
        pub static TEMPLATES = "SELECT (SELECT count(*) FROM template) AS templates, \
             (SELECT count(*) FROM template_version) AS versions";
    }
}

/// Returns the number of stored templates and versions, including unlisted ones.
fn stored_templates(server: &Server) -> (i64, i64) {
    let row = server
        .app
        .store
        .read(|tx| tx.query_one(&sql::TEMPLATES, store::values![]))
        .expect("counts");
    (
        row.get("templates").expect("a number"),
        row.get("versions").expect("a number"),
    )
}

fn start() -> Value {
    json!({
        "workflow_name": "Offer 7",
        "recipient_list": [
            {"order": 1, "name": "김민준", "email": "minjun@example.com"},
            {"order": 2, "name": "山田太郎", "email": "taro@example.com"},
        ],
    })
}

fn send(server: &Server, token: &str, boundary: &str, parts: &[(&str, &[u8])]) -> Answer {
    send_under("offer 7", server, token, boundary, parts)
}

fn send_under(key: &str, server: &Server, token: &str, boundary: &str, parts: &[(&str, &[u8])]) -> Answer {
    let mut body = Vec::new();
    for (name, content) in parts {
        body.extend(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n").bytes());
        body.extend_from_slice(content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").bytes());
    server.send(
        server
            .request("POST", "/api/v3/workflows/send", Some(token))
            .header("accept-language", "en")
            .header("idempotency-key", key)
            .header("content-type", format!("multipart/form-data; boundary={boundary}"))
            .body(body),
    )
}

/// Sends the usual file with this start.
fn send_usual(key: &str, server: &Server, token: &str, boundary: &str, start: &Value) -> Answer {
    let (file, fields, start) = (pdf(), contract().to_string(), start.to_string());
    let parts: [(&str, &[u8]); 3] = [
        ("file", &file),
        ("fields", fields.as_bytes()),
        ("start", start.as_bytes()),
    ];
    send_under(key, server, token, boundary, &parts)
}

fn a_pdf_is_sent_and_completed_without_a_template_in_the_list(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let sent = send_usual("offer 7", &server, &token, "x", &start()).ok();
    assert_eq!(
        (&sent["workflow_name"], &sent["next_name"]),
        (&json!("Offer 7"), &json!("김민준"))
    );
    assert_eq!(
        send_usual("offer 7", &server, &token, "another", &start()).ok(),
        sent,
        "sent once, whatever the boundary"
    );
    assert_eq!(
        server.get("/api/v3/templates?archived=true", &token).ok()["template_list"],
        json!([])
    );
    let id = &sent["workflow_id"];
    for order in 1..=2 {
        server
            .act(
                &token,
                id,
                "approve",
                &json!({"order": order, "field_list": values_of(order)}),
            )
            .ok();
    }
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["status"], "Complete");
    assert_eq!(
        server.get(&format!("/api/v3/workflows/{id}/document"), &token).status,
        200
    );
    let list = server.get("/api/v3/workflows", &token).ok();
    assert_eq!(list["workflow_list"].as_array().map(Vec::len), Some(1));
}

fn what_is_refused_leaves_nothing_behind(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let (file, fields) = (pdf(), contract().to_string());
    let faults = |parts: &[(&str, &[u8])]| send(&server, &token, "x", parts).faults();
    let one = |path: &str, code: &str| vec![(path.to_owned(), code.to_owned())];
    let good = start().to_string();
    assert_eq!(
        faults(&[("file", &file), ("fields", fields.as_bytes())]),
        one("start", "required")
    );
    assert_eq!(
        faults(&[("file", &file), ("fields", fields.as_bytes()), ("start", b"{")]),
        one("start", "not-json-text")
    );
    // The message must not mention a template.
    let mut alone = start();
    alone["recipient_list"].as_array_mut().expect("writers").pop();
    let alone = alone.to_string();
    let missed = send(
        &server,
        &token,
        "x",
        &[
            ("file", &file),
            ("fields", fields.as_bytes()),
            ("start", alone.as_bytes()),
        ],
    )
    .problem(422);
    assert_eq!(missed["errors"][0]["message"], "Step 2 has no recipient. Add one.");
    assert_eq!(
        faults(&[("fields", fields.as_bytes()), ("start", good.as_bytes())]),
        one("file", "required")
    );
    let mut wrong = start();
    wrong["recipient_list"][1]["email"] = json!("taro@");
    let wrong = wrong.to_string();
    assert_eq!(
        faults(&[
            ("file", &file),
            ("fields", fields.as_bytes()),
            ("start", wrong.as_bytes())
        ]),
        one("recipient_list[1].email", "invalid-contact")
    );
    let mut small = contract();
    small["fields"][9]["width"] = json!(1);
    let small = small.to_string();
    assert_eq!(
        faults(&[
            ("file", &file),
            ("fields", small.as_bytes()),
            ("start", good.as_bytes())
        ]),
        one("fields[9]", "field-too-small")
    );
    assert_eq!(stored_templates(&server), (0, 0));
    // The response names the faults of the request together with those of the file.
    let odd = json!({"workflow_name": 7}).to_string();
    let both = faults(&[
        ("file", b"no PDF"),
        ("fields", fields.as_bytes()),
        ("start", odd.as_bytes()),
    ]);
    assert_eq!(
        both,
        [
            ("workflow_name".to_owned(), "wrong-type".to_owned()),
            ("file".to_owned(), "document-refused".to_owned())
        ]
    );
    assert_eq!(server.get("/api/v3/workflows", &token).ok()["workflow_list"], json!([]));
}

fn a_member_who_sends_the_same_twice_at_once_leaves_one_template(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    for key in ["offer 1", "offer 2", "offer 3"] {
        let together = std::sync::Barrier::new(4);
        let sent: Vec<Value> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        together.wait();
                        send_usual(key, &server, &token, "x", &start()).ok()
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().expect("an answer")).collect()
        });
        assert!(sent.iter().all(|one| *one == sent[0]), "{sent:?}");
    }
    assert_eq!(stored_templates(&server), (3, 3), "one a document");
}

fn a_preview_of_what_is_sent_once_goes_with_its_template(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let mut preview = start();
    preview["is_preview"] = json!(true);
    preview["is_embed"] = json!(true);
    let shown = send_usual("preview", &server, &token, "x", &preview).ok();
    assert_eq!(shown["ignored_members"], json!(["is_embed"]));
    let address = shown["preview_url"].as_str().expect("an address");
    let path = address.strip_prefix(BASE).expect("ours");
    assert_eq!(server.send(server.request("GET", path, None)).status, 200);
    send_usual("real", &server, &token, "x", &start()).ok();
    assert_eq!(stored_templates(&server), (2, 2));
    server.clock.advance(24 * 60 * 60);
    server.app.sweep_workflow_leftovers().expect("swept");
    assert_eq!(stored_templates(&server), (1, 1), "that of the document stays");
}

fn the_template_of_what_is_sent_once_is_nobody_elses(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, kept) = server.with_company("acme");
    let mut embedded = start();
    embedded["export_api_info"] = json!({"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true});
    let sent = send_usual("offer 7", &server, &token, "x", &embedded).ok();
    let id = &sent["workflow_id"];
    let shown = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let hidden = shown["template_id"].as_i64().expect("an id");
    assert_ne!(hidden, kept);
    let path = format!("/api/v3/templates/{hidden}");
    let empty = json!({});
    server.get(&path, &token).problem(404);
    for (method, of) in [("POST", "/copy"), ("POST", "/archive")] {
        let request = server.request(method, &format!("{path}{of}"), Some(&token));
        server.send(request.json(&empty)).problem(404);
    }
    let body = "--x\r\nContent-Disposition: form-data; name=\"fields\"\r\n\r\n{}\r\n--x--\r\n";
    let request = server.request("PUT", &path, Some(&token));
    let request = request.header("content-type", "multipart/form-data; boundary=x");
    server.send(request.body(body)).problem(404);
    let unknown = [("template_id".to_owned(), "unknown-template".to_owned())];
    assert_eq!(server.start(&token, &start_body(hidden)).faults(), unknown);
    for (path, body) in [
        (
            "/api/v3/workflows/bulk",
            json!({"template_id": hidden, "workflow_list": [{}]}),
        ),
        ("/api/v3/link/start", start_body(hidden)),
    ] {
        let faults = server.post(path, Some(&token), &body).faults();
        assert!(faults.contains(&unknown[0]), "{path}: {faults:?}");
    }
    for query in [
        format!("/api/v3/workflows/bulk/sheet?template_id={hidden}"),
        format!("/api/v3/workflows/search-with-value?template_id={hidden}&field_name=salary&field_value=1"),
    ] {
        assert_eq!(server.get(&query, &token).faults(), unknown, "{query}");
    }
    // Its document continues.
    let sign = sent["sign_url"].as_str().expect("an address");
    let page = server.send(server.request("GET", sign.strip_prefix(BASE).expect("ours"), None));
    assert_eq!(page.status, 200);
    for order in 1..=2 {
        let body = json!({"order": order, "field_list": values_of(order)});
        server.act(&token, id, "approve", &body).ok();
    }
    let done = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(done["status"], "Complete");
    for name in ["download_url", "certificate_url"] {
        let address = done[name].as_str().expect("an address");
        let page = server.send(server.request("GET", address.strip_prefix(BASE).expect("ours"), None));
        assert_eq!(page.status, 200, "{name}");
    }
}

fn a_template_beside_a_file_is_ignored_and_named(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut with_template = start();
    with_template["template_id"] = json!(template);
    with_template["is_preview"] = json!(true);
    let shown = send_usual("preview", &server, &token, "x", &with_template).ok();
    assert_eq!(shown["ignored_members"], json!(["template_id"]));
    with_template["is_preview"] = json!(false);
    let sent = send_usual("real", &server, &token, "x", &with_template).ok();
    let seen = server
        .get(&format!("/api/v3/workflows/{}", sent["workflow_id"]), &token)
        .ok();
    assert_ne!(seen["template_id"], json!(template), "the file is what is sent");
}
