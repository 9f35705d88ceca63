//! The first company, created in a browser by the holder of the code that the server prints.

use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, PASSWORD, Server};

testkit::on_both_databases!(
    only_the_holder_of_the_printed_code_creates_the_first_company,
    a_form_with_faults_names_all_of_them_and_keeps_what_was_entered,
    of_forms_that_are_sent_at_once_one_creates_a_company,
    there_is_no_code_once_there_is_a_company,
);

const FORM: [(&str, &str); 6] = [
    ("company_name", "한빛상사"),
    ("company", "hanbit"),
    ("name", "이서연"),
    ("email", "owner@example.com"),
    ("password", PASSWORD),
    ("zone", "Asia/Tokyo"),
];

fn browser() -> reqwest::Client {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.no_proxy().build().expect("a client")
}

fn get(server: &Server, path: &str) -> Answer {
    server.send(browser().get(server.address_of(path)))
}

fn code(server: &Server) -> String {
    let code = server.app.first_run_code().expect("an answer").expect("a code");
    code.expose().to_owned()
}

fn post(server: &Server, code: &str, entries: &[(&str, &str)]) -> Answer {
    let request = browser()
        .post(server.address_of(&format!("/first-run?token={code}&lang=en")))
        .header("content-type", "application/x-www-form-urlencoded");
    server.send(request.body(Serializer::new(String::new()).extend_pairs(entries).finish()))
}

fn companies(server: &Server) -> usize {
    server
        .app
        .store
        .read(store::company::list)
        .expect("the companies")
        .len()
}

fn only_the_holder_of_the_printed_code_creates_the_first_company(database: &TestDatabase) {
    let server = Server::new(database);
    assert_eq!(get(&server, "/").header("location"), "/first-run");
    let page = get(&server, "/first-run?lang=en");
    assert!(
        page.html().contains("server printed") && !page.html().contains("<form"),
        "{}",
        page.html()
    );
    let (old, new) = (code(&server), code(&server));
    for wrong in [old.as_str(), "x", &"A".repeat(43)] {
        assert_eq!(
            get(&server, &format!("/first-run?token={wrong}")).status,
            404,
            "{wrong}"
        );
        assert_eq!(post(&server, wrong, &FORM).status, 404, "{wrong}");
    }
    assert_eq!(companies(&server), 0);
    let form = get(&server, &format!("/first-run?token={new}&lang=en"));
    assert!(form.html().contains("name=\"company_name\""));
    assert_eq!(form.header("cache-control"), "no-store");
    // Another site's page cannot send it.
    let request = browser()
        .post(server.address_of(&format!("/first-run?token={new}")))
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "cross-site");
    let body = Serializer::new(String::new()).extend_pairs(FORM).finish();
    assert_eq!(server.send(request.body(body)).status, 403);
    let created = post(&server, &new, &FORM);
    assert_eq!(
        (created.status, created.header("location")),
        (303, "/documents?lang=en")
    );
    let cookie = created
        .header("set-cookie")
        .split(';')
        .next()
        .expect("a cookie")
        .to_owned();
    let request = browser().get(server.address_of("/documents?lang=en"));
    let documents = server.send(request.header("cookie", cookie));
    assert_eq!(documents.status, 200);
    assert!(documents.html().contains("No documents yet"), "{}", documents.html());
    // The owner signs in again, and the code has been used.
    server.sign_in("hanbit", "owner@example.com");
    assert_eq!(post(&server, &new, &FORM).status, 404);
    let company = domain::CompanyId::parse("hanbit").expect("an id");
    let company = server.app.company(&company).expect("the company");
    assert_eq!(
        (company.name.as_str(), company.zone.to_string().as_str()),
        ("한빛상사", "Asia/Tokyo")
    );
    let operator = server.app.operator(&company.id).expect("an operator");
    let log = server.app.audit_log(&operator, None, 10).expect("the log");
    let log: Vec<String> = log.iter().map(|entry| format!("{entry:?}")).collect();
    assert_eq!(log.len(), 2, "{log:?}");
    assert!(log.iter().all(|entry| entry.contains("pages")), "{log:?}");
}

fn a_form_with_faults_names_all_of_them_and_keeps_what_was_entered(database: &TestDatabase) {
    let server = Server::new(database);
    let code = code(&server);
    let entries = [
        ("company_name", " "),
        ("company", "Not An ID"),
        ("name", "이서연"),
        ("email", "owner@"),
        ("password", "secret"),
        ("zone", "Nowhere"),
    ];
    let refused = post(&server, &code, &entries);
    assert_eq!(refused.status, 422);
    let html = refused.html();
    assert_eq!(html.matches("aria-invalid=\"true\"").count(), 3, "{html}");
    for kept in ["Not An ID", "이서연", "owner@"] {
        assert!(html.contains(&format!("value=\"{kept}\"")), "{kept}: {html}");
    }
    let weak = post(&server, &code, &[&FORM[..4], &[("password", "password1234")]].concat());
    assert_eq!(weak.status, 422);
    assert!(!weak.html().contains("password1234"), "{}", weak.html());
    assert_eq!(companies(&server), 0);
    assert_eq!(post(&server, &code, &FORM).status, 303);
}

fn of_forms_that_are_sent_at_once_one_creates_a_company(database: &TestDatabase) {
    let server = Server::new(database);
    let code = code(&server);
    let created: Vec<bool> = std::thread::scope(|scope| {
        let forms = (0..4).map(|number| {
            let (server, code) = (&server, &code);
            scope.spawn(move || {
                let new = app::FirstRun {
                    company_id: format!("company-{number}"),
                    company_name: "Hanbit".to_owned(),
                    language: domain::Language::En,
                    zone: domain::Zone::UTC,
                    name: "Lee".to_owned(),
                    email: "owner@example.com".to_owned(),
                    password: PASSWORD.to_owned(),
                };
                server.app.first_run(code, new).is_ok()
            })
        });
        let forms: Vec<_> = forms.collect();
        forms.into_iter().map(|form| form.join().expect("an end")).collect()
    });
    assert_eq!(created.iter().filter(|created| **created).count(), 1, "{created:?}");
    assert_eq!(companies(&server), 1);
}

fn there_is_no_code_once_there_is_a_company(database: &TestDatabase) {
    let server = Server::new(database);
    let early = code(&server);
    server.company("acme");
    assert!(server.app.first_run_code().expect("an answer").is_none());
    assert_eq!(
        get(&server, &format!("/first-run?token={early}")).header("location"),
        "/sign-in"
    );
    assert_eq!(post(&server, &early, &FORM).status, 404);
    assert_eq!(get(&server, "/").header("location"), "/documents");
}
