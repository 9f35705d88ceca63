//! The members' pages.

use app::Purpose;
use countersign_http::{Authority, routes};
use store::outbox::{NewChannel, NewDelivery, NewMessage};
use testkit::database::TestDatabase;

use super::{filled, look, text};
use crate::support::{PASSWORD, Server, network};

store::statements! {
    pub static GIVE_UP = "UPDATE outbox SET state = 'dead' WHERE event_id = 'msg_2'";
}

testkit::on_both_databases!(
    every_session_route_sends_a_stranger_to_sign_in,
    the_outbox_names_the_company_as_people_know_it,
    the_outbox_has_a_page_of_failed_messages,
    behind_a_proxy_with_tls_a_member_signs_in_and_links_lead_there,
);

fn every_session_route_sends_a_stranger_to_sign_in(database: &TestDatabase) {
    let server = Server::new(database);
    for route in routes()
        .into_iter()
        .filter(|route| matches!(route.authority, Authority::Session(_)))
    {
        for cookie in ["", "__Host-countersign_session=abc"] {
            let request = server.request(route.method.as_str(), &filled(route.path), None);
            let answer = server.send(request.header("cookie", cookie));
            // The client follows the redirect.
            assert_eq!(answer.status, 200, "{}", route.path);
            assert!(text(&answer).contains("name=\"password\""), "{}", route.path);
        }
    }
    // A form that does not come from our page signs nobody in.
    let form =
        "company=acme&email=owner%40example.com&password=plover+lantern+quay+47&csrf=0123456789abcdef0123456789abcdef";
    let request = server
        .request("POST", "/sign-in", None)
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = server.send(request.body(form));
    assert_eq!(answer.status, 403);
    assert!(!answer.header("set-cookie").contains("countersign_session"));
    // Another site's form cannot choose the page to redirect to.
    let answer = look(&server, "/sign-in?next=https://evil.example/");
    assert!(text(&answer).contains("name=\"next\" value=\"/documents\""));
    assert!(
        answer
            .header("set-cookie")
            .ends_with("; HttpOnly; SameSite=Lax; Secure"),
        "{:?}",
        answer.headers
    );
}

/// Returns a page as seen by the company's owner.
fn as_owner(server: &Server, address: &str) -> String {
    let attempt = app::LoginAttempt {
        company: "acme".to_owned(),
        email: "owner@example.com".to_owned(),
        password: PASSWORD.to_owned(),
        address: std::net::Ipv4Addr::LOCALHOST.into(),
    };
    let cookie = server.app.sign_in(&attempt, None).expect("signed in").cookie;
    let request = server
        .request("GET", address, None)
        .header("cookie", format!("__Host-countersign_session={}", cookie.expose()));
    let page = server.send(request);
    assert_eq!(page.status, 200, "{address}");
    text(&page)
}

fn the_outbox_names_the_company_as_people_know_it(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let page = as_owner(&server, "/outbox?lang=en");
    assert!(page.contains("acme Ltd"), "{page}");
    assert!(!page.contains("page-tabs"), "nothing has failed");
}

fn the_outbox_has_a_page_of_failed_messages(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let open = |address: &str| as_owner(&server, address);
    for number in 1..=3_i64 {
        let (company, at) = (domain::CompanyId::parse("acme").expect("an id"), server.app.now());
        let mail = serde_json::json!({
            "from_name": "acme", "to_name": "Ann", "to": "ann@example.com", "language": "en",
            "subject": format!("Document {number}"), "text": "…", "html": null, "links": [],
        });
        let body = server
            .app
            .vault
            .encrypt(Purpose::OutboxBody, mail.to_string().as_bytes());
        let new = NewDelivery {
            company,
            workflow: None,
            event_id: format!("msg_{number}"),
            channel: NewChannel::Mail(NewMessage::Ordinary),
            body,
            created_at: at,
        };
        server
            .app
            .store
            .write(move |tx| {
                store::outbox::enqueue(tx, &new)?;
                if number == 2 {
                    tx.execute(&GIVE_UP, &[])?;
                }
                Ok::<_, store::Error>(())
            })
            .expect("a message");
    }
    let all = open("/outbox?lang=en");
    assert!(
        ["Document 1", "Document 2", "Document 3"]
            .iter()
            .all(|name| all.contains(name)),
        "{all}"
    );
    let (failed_tab, all_tab) = (
        all.find("show=failed").expect("a tab"),
        all.find(">All<").expect("a tab"),
    );
    assert!(failed_tab < all_tab, "Failed comes first");
    let failed = open("/outbox?lang=en&show=failed");
    assert!(
        failed.contains("Document 2") && !failed.contains("Document 1"),
        "{failed}"
    );
    assert!(
        failed.contains("aria-current=\"page\">Failed <span class=\"count\">1</span>"),
        "{failed}"
    );
    assert!(open("/outbox?lang=ja&show=failed&before=1").contains("配信に失敗したメッセージはありません"));
}

fn behind_a_proxy_with_tls_a_member_signs_in_and_links_lead_there(database: &TestDatabase) {
    // It is unknown whether the public address uses https, so the proxy's header decides.
    let server = Server::with(database, |settings, http| {
        "http://sign.example.com".clone_into(&mut settings.public_url);
        http.trusted_proxies = vec![network("127.0.0.1/32")];
    });
    server.company("acme");
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let ask = |method: &str, scheme: &str, cookie: &str, form: Option<String>| {
        let mut request = client
            .request(method.parse().expect("a method"), server.address_of("/sign-in"))
            .header("x-forwarded-for", "198.51.100.7")
            .header("x-forwarded-proto", scheme.to_owned())
            .header("host", "sign.example.com")
            .header("cookie", cookie.to_owned());
        if let Some(form) = form {
            request = request
                .header("content-type", "application/x-www-form-urlencoded")
                .header("origin", format!("{scheme}://sign.example.com"))
                .body(form);
        }
        server.send(request)
    };
    for (scheme, is_secure) in [("https", true), ("http", false)] {
        let page = ask("GET", scheme, "", None);
        let cookie = page.header("set-cookie").to_owned();
        assert_eq!(cookie.contains("; Secure"), is_secure, "{scheme}: {cookie}");
        let pair = cookie.split(';').next().expect("a cookie").to_owned();
        let html = text(&page);
        let csrf = html.split_once("name=\"csrf\" value=\"").expect("a form").1;
        let csrf = csrf.split('"').next().expect("a token");
        let form = format!("company=acme&email=owner%40example.com&password=plover+lantern+quay+47&csrf={csrf}");
        let answer = ask("POST", scheme, &pair, Some(form));
        assert_eq!(answer.status, 303, "{scheme}: {}", text(&answer));
        assert_eq!(
            answer.header("location"),
            "/documents",
            "a path: the browser stays with the proxy's host and scheme"
        );
        let session = answer.header("set-cookie");
        let name = if is_secure {
            "__Host-countersign_session="
        } else {
            "countersign_session="
        };
        assert!(session.starts_with(name), "{session}");
        assert_eq!(session.contains("; Secure"), is_secure, "{session}");
    }
}
