//! Tests that wrong passwords from other addresses do not lock out an address from which the account logs in.

use app::{CompanyChange, LoggedIn, LoginAttempt, LoginRefusal};
use domain::Role;
use testkit::operator::operator;

use crate::support::{PASSWORD, TestApp, attempt, on_both};

const OWNER: &str = "owner@example.com";
const HOME: &str = "198.51.100.1";
const DAY: i64 = 24 * 60 * 60;

store::statements! {
    /// Selects the stored addresses.
    pub static KEPT = "SELECT company_id, member_id, address FROM known_address ORDER BY company_id, member_id, address";
}

fn from(address: &str, company: &str, email: &str, password: &str) -> LoginAttempt {
    LoginAttempt {
        address: address.parse().expect("an address"),
        ..attempt(company, email, password)
    }
}

fn log_in(app: &TestApp, address: &str, password: &str) -> Result<LoggedIn, LoginRefusal> {
    app.login(&from(address, "acme", OWNER, password))
}

/// Sends wrong passwords from this address until they are throttled. Returns how many were checked.
fn guess_until_throttled(app: &TestApp, address: &str) -> u32 {
    for judged in 0..100 {
        match log_in(app, address, "a wrong one") {
            Err(LoginRefusal::WrongCredentials) => {}
            Err(LoginRefusal::Throttled { .. }) => return judged,
            other => panic!("{other:?}"),
        }
    }
    panic!("it is never throttled");
}

fn is_throttled(result: &Result<LoggedIn, LoginRefusal>) -> bool {
    matches!(result, Err(LoginRefusal::Throttled { .. }))
}

fn kept(app: &TestApp) -> Vec<(String, Vec<u8>)> {
    let rows = app.store.read(|tx| tx.query(&KEPT, &[])).expect("the rows");
    rows.iter()
        .map(|row| {
            let company = row.get("company_id").expect("a company");
            (company, row.get("address").expect("an address"))
        })
        .collect()
}

#[test]
fn wrong_passwords_from_elsewhere_never_keep_out_an_address_that_logged_in() {
    on_both(|app| {
        app.with_company("acme");
        log_in(app, HOME, PASSWORD).expect("the company's own program");
        for number in 0..10 {
            let guess = log_in(app, &format!("203.0.113.{number}"), "a wrong one");
            assert!(matches!(guess, Err(LoginRefusal::WrongCredentials)), "{guess:?}");
        }
        assert!(
            is_throttled(&log_in(app, "203.0.113.77", PASSWORD)),
            "strangers are throttled"
        );
        log_in(app, HOME, PASSWORD).expect("its own address is not");
        let page = from(HOME, "acme", OWNER, PASSWORD);
        app.sign_in(&page, None).expect("nor is it on the sign-in page");
        // Further windows of the strangers do not lock it out either.
        for _ in 0..3 {
            app.clock.advance(600);
            assert_eq!(guess_until_throttled(app, "203.0.113.200"), 10);
            log_in(app, HOME, PASSWORD).expect("its own address");
        }
    });
}

#[test]
fn a_known_address_uses_up_its_own_allowance_alone() {
    on_both(|app| {
        app.with_company("acme");
        log_in(app, HOME, PASSWORD).expect("known");
        log_in(app, "198.51.100.2", PASSWORD).expect("known, too");
        assert_eq!(guess_until_throttled(app, HOME), 10);
        assert!(is_throttled(&log_in(app, HOME, PASSWORD)));
        log_in(app, "198.51.100.2", PASSWORD).expect("another known address");
        assert_eq!(guess_until_throttled(app, "203.0.113.1"), 10, "strangers have theirs");
        app.clock.advance(600);
        log_in(app, HOME, PASSWORD).expect("nobody is locked out for good");
    });
}

#[test]
fn an_address_is_known_for_thirty_days_after_its_last_login() {
    on_both(|app| {
        app.with_company("acme");
        log_in(app, HOME, PASSWORD).expect("the first");
        // Not every login is written, but the last one still counts.
        app.clock.advance(59 * 60);
        log_in(app, HOME, PASSWORD).expect("the last");
        app.clock.advance(30 * DAY - 1);
        guess_until_throttled(app, "203.0.113.1");
        log_in(app, HOME, PASSWORD).expect("still known");
        app.clock.advance(30 * DAY - 1);
        guess_until_throttled(app, "203.0.113.1");
        log_in(app, HOME, PASSWORD).expect("known again since then");
        app.clock.advance(31 * DAY);
        guess_until_throttled(app, "203.0.113.1");
        assert!(is_throttled(&log_in(app, HOME, PASSWORD)), "unused for too long");
    });
}

#[test]
fn nothing_but_a_login_makes_an_address_known() {
    on_both(|app| {
        let company = app.with_company("acme");
        app.with_member(&company, "other@example.com", Role::Sender);
        log_in(app, HOME, "a wrong one").expect_err("wrong");
        app.login(&from(HOME, "acme", "other@example.com", PASSWORD))
            .expect("another account");
        let off = CompanyChange {
            api_enabled: Some(false),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &company), &off)
            .expect("the API is off");
        assert!(matches!(log_in(app, HOME, PASSWORD), Err(LoginRefusal::ApiOff)));
        let on = CompanyChange {
            api_enabled: Some(true),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &company), &on)
            .expect("the API is on");
        app.with_company("other");
        app.login(&from(HOME, "other", OWNER, PASSWORD))
            .expect("another company's");
        guess_until_throttled(app, "203.0.113.1");
        assert!(is_throttled(&log_in(app, HOME, PASSWORD)));
    });
}

#[test]
fn an_ipv6_network_is_one_known_address() {
    on_both(|app| {
        app.with_company("acme");
        log_in(app, "2001:db8:1:2::1", PASSWORD).expect("known");
        guess_until_throttled(app, "2001:db8:1:3::1");
        log_in(app, "2001:db8:1:2:ffff::9", PASSWORD).expect("the same network");
        assert!(is_throttled(&log_in(app, "2001:db8:1:4::1", PASSWORD)));
    });
}

#[test]
fn known_addresses_are_kept_as_keyed_hashes_and_no_more_than_fifty_of_a_member() {
    on_both(|app| {
        let company = app.with_company("acme");
        app.with_member(&company, "other@example.com", Role::Sender);
        app.login(&from(HOME, "acme", "other@example.com", PASSWORD))
            .expect("another member's");
        for number in 0..60 {
            app.clock.advance(1);
            log_in(app, &format!("198.51.100.{number}"), PASSWORD).expect("a login");
        }
        let rows = kept(app);
        assert_eq!(rows.len(), 51);
        for (company, address) in &rows {
            assert_eq!((company.as_str(), address.len()), ("acme", 32));
        }
        let distinct: std::collections::BTreeSet<_> = rows.iter().map(|(_, address)| address).collect();
        assert_eq!(distinct.len(), 51, "one address of two members is two hashes");
        // Of the sixty addresses, the latest are known.
        guess_until_throttled(app, "203.0.113.1");
        log_in(app, "198.51.100.59", PASSWORD).expect("the latest");
        log_in(app, "198.51.100.10", PASSWORD).expect("the fiftieth");
        assert!(is_throttled(&log_in(app, "198.51.100.9", PASSWORD)));
        app.clock.advance(29 * DAY);
        assert_eq!(app.clean_access().expect("cleaned").addresses, 0);
        app.clock.advance(2 * DAY);
        assert_eq!(app.clean_access().expect("cleaned").addresses, 51);
        assert!(kept(app).is_empty());
    });
}

#[test]
fn two_that_log_in_from_one_new_address_at_once_both_get_in() {
    on_both(|app| {
        app.with_company("acme");
        let start = std::sync::Barrier::new(4);
        let logged_in = std::thread::scope(|scope| {
            let logins: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        log_in(app, HOME, PASSWORD).is_ok()
                    })
                })
                .collect();
            logins
                .into_iter()
                .filter_map(|login| login.join().ok())
                .filter(|is_in| *is_in)
                .count()
        });
        assert_eq!((logged_in, kept(app).len()), (4, 1));
    });
}
