//! Tests companies, members, clients, and how they sign in.

use std::net::{IpAddr, Ipv4Addr};

use app::{
    CompanyChange, ConflictCode, Error, FaultCode, ForbiddenCode, LoginAttempt, LoginRefusal, NewCompany, NewMember,
    Subject,
};
use argon2::Argon2;
use argon2::password_hash::PasswordHasher;
use document::pki::keys::{KeyKind, Signer};
use domain::{Access, ClientId, CompanyId, Language, Requester, Role};
use testkit::operator::operator;

use crate::support::{PASSWORD, TestApp, attempt, on_both};

store::statements! {
    /// Sets a password from an earlier version.
    pub static SET_HASH = "UPDATE member SET password_hash = $1";
}

fn company_named(id: &str) -> NewCompany {
    NewCompany {
        id: id.to_owned(),
        name: "Acme".to_owned(),
        key: KeyKind::default(),
        settings: CompanyChange::default(),
    }
}

fn token(app: &TestApp, company: &str) -> String {
    app.login(&attempt(company, "owner@example.com", PASSWORD))
        .expect("a login")
        .access_token
        .expose()
        .to_owned()
}

fn throttled(result: &Result<app::LoggedIn, LoginRefusal>) -> Option<u64> {
    match result {
        Err(LoginRefusal::Throttled { retry_after }) => Some(*retry_after),
        _ => None,
    }
}

#[test]
fn a_new_company_can_seal_and_has_a_default_client() {
    on_both(|app| {
        let added = app.add_company(&company_named("Acme")).expect("a company");
        assert_eq!(added.company.id.as_str(), "acme");
        let key = app.seal_key(&added.company.id).expect("a seal key");
        assert_eq!(key.certificates().len(), 2, "its own and the root's");
        assert!(added.secret.expose().starts_with("whsec_"));
        let clients = app.clients(&operator(app, &added.company.id)).expect("clients");
        assert_eq!(
            clients
                .iter()
                .map(|client| (client.id, client.is_default))
                .collect::<Vec<_>>(),
            [(added.client, true)]
        );
        let shown = app
            .client_secret(&operator(app, &added.company.id), None)
            .expect("its secret");
        assert_eq!((shown.id, shown.secret.expose()), (added.client, added.secret.expose()));
    });
}

#[test]
fn a_company_id_is_taken_once_whatever_its_case() {
    on_both(|app| {
        app.add_company(&company_named("acme")).expect("a company");
        let again = app.add_company(&company_named("ACME"));
        assert!(
            matches!(
                again,
                Err(Error::Conflict {
                    code: ConflictCode::CompanyExists,
                    ..
                })
            ),
            "{again:?}"
        );
        for id in ["v3", "docs", "", "a b", "회사"] {
            match app.add_company(&company_named(id)) {
                Err(Error::Unprocessable(faults)) => assert_eq!(faults[0].code, FaultCode::InvalidCompanyId, "{id}"),
                other => panic!("{id}: {other:?}"),
            }
        }
        assert_eq!(app.companies().expect("companies").len(), 1);
    });
}

#[test]
fn settings_of_a_company_stay_within_their_ranges() {
    on_both(|app| {
        let id = app.with_company("acme");
        let change = CompanyChange {
            token_lifetime_seconds: Some(31 * 24 * 60 * 60),
            expiry_days: Some(0),
            link_days: Some(4000),
            ..CompanyChange::default()
        };
        match app.change_company(&operator(app, &id), &change) {
            Err(Error::Unprocessable(faults)) => {
                let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
                assert_eq!(paths, ["token_lifetime", "expiry_days", "link_days"]);
            }
            other => panic!("{other:?}"),
        }
        let change = CompanyChange {
            expiry_days: Some(3),
            name: Some(" New ".to_owned()),
            ..CompanyChange::default()
        };
        let changed = app.change_company(&operator(app, &id), &change).expect("a change");
        assert_eq!((changed.expiry_days, changed.name.as_str()), (3, "New"));
        assert_eq!(app.company(&id).expect("the company"), changed);
        let unknown = app.operator(&CompanyId::parse("other").expect("an id"));
        assert!(matches!(unknown, Err(Error::NotFound(Subject::Company))));
    });
}

#[test]
fn a_login_gives_a_token_that_names_its_member() {
    on_both(|app| {
        let company = app.with_company("acme");
        let logged_in = app
            .login(&attempt("ACME", " Owner@Example.com ", PASSWORD))
            .expect("a login");
        assert_eq!(logged_in.email, "owner@example.com");
        // The login is at 2026-01-01 00:00:00 UTC. `expire_date` is a day later, in Seoul time.
        assert_eq!(logged_in.expire_date(), "2026-01-02 09:00:00");
        let caller = app.authenticate(logged_in.access_token.expose()).expect("a caller");
        assert_eq!(caller.requester(), Requester::Company(company));
        assert!(caller.may(Access::Own));
        assert!(logged_in.access_token.expose().len() * 6 >= 192);
    });
}

#[test]
fn unknown_company_unknown_member_wrong_password_and_disabled_member_are_one_refusal() {
    on_both(|app| {
        let company = app.with_company("acme");
        app.with_member(&company, "gone@example.com", Role::Sender);
        assert!(
            app.disable_member(&operator(app, &company), "gone@example.com")
                .expect("disabled")
        );
        for (company, email, password) in [
            ("other", "owner@example.com", PASSWORD),
            ("a b", "owner@example.com", PASSWORD),
            ("acme", "nobody@example.com", PASSWORD),
            ("acme", "owner\0@example.com", PASSWORD),
            ("acme", "owner@example.com", "correct horsf"),
            ("acme", "owner@example.com", ""),
            ("acme", "gone@example.com", PASSWORD),
        ] {
            let refused = app.login(&attempt(company, email, password));
            assert!(
                matches!(refused, Err(LoginRefusal::WrongCredentials)),
                "{company} {email:?}: {refused:?}"
            );
        }
    });
}

#[test]
fn only_someone_with_the_password_learns_that_the_api_is_off() {
    on_both(|app| {
        let company = app.with_company("acme");
        let token = token(app, "acme");
        let off = CompanyChange {
            api_enabled: Some(false),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &company), &off).expect("a change");
        let right = app.login(&attempt("acme", "owner@example.com", PASSWORD));
        assert!(matches!(right, Err(LoginRefusal::ApiOff)), "{right:?}");
        let wrong = app.login(&attempt("acme", "owner@example.com", "wrong password"));
        assert!(matches!(wrong, Err(LoginRefusal::WrongCredentials)), "{wrong:?}");
        assert!(matches!(
            app.authenticate(&token),
            Err(Error::Forbidden(ForbiddenCode::ApiOff))
        ));
    });
}

#[test]
fn only_wrong_credentials_count_and_nobody_is_locked_out_for_good() {
    on_both(|app| {
        app.with_company("acme");
        let right = attempt("acme", "owner@example.com", PASSWORD);
        let wrong = attempt("Acme", "OWNER@example.com", "wrong password");
        for _ in 0..12 {
            app.login(&right).expect("right credentials never count");
        }
        for _ in 0..10 {
            assert!(matches!(app.login(&wrong), Err(LoginRefusal::WrongCredentials)));
            app.clock.advance(10);
        }
        // The first of the ten tries was 100 s ago, so 500 s of the window are left.
        assert_eq!(throttled(&app.login(&wrong)), Some(500));
        assert_eq!(throttled(&app.login(&right)), Some(500), "guessing on is no use");
        let other = attempt("acme", "other@example.com", PASSWORD);
        assert!(
            matches!(app.login(&other), Err(LoginRefusal::WrongCredentials)),
            "another account is not concerned"
        );
        app.clock.advance(499);
        assert_eq!(throttled(&app.login(&right)), Some(1));
        app.clock.advance(1);
        app.login(&right).expect("free again");
    });
}

#[test]
fn of_guesses_that_arrive_at_once_no_more_are_judged_than_the_limit_says() {
    on_both(|app| {
        app.with_company("acme");
        let start = std::sync::Barrier::new(30);
        let judged = std::thread::scope(|scope| {
            let guesses: Vec<_> = (0..30)
                .map(|number| {
                    let (app, start) = (&app.app, &start);
                    scope.spawn(move || {
                        start.wait();
                        app.login(&attempt("acme", "owner@example.com", &format!("guess {number}")))
                    })
                })
                .collect();
            guesses
                .into_iter()
                .map(|guess| guess.join().expect("no panic"))
                .filter(|result| matches!(result, Err(LoginRefusal::WrongCredentials)))
                .count()
        });
        assert_eq!(judged, 10);
        // The eleventh try learns nothing, even with the right password.
        assert!(throttled(&app.login(&attempt("acme", "owner@example.com", PASSWORD))).is_some());
    });
}

#[test]
fn an_address_that_guesses_at_many_accounts_is_throttled_and_others_are_not() {
    on_both(|app| {
        app.with_company("acme");
        for number in 0..100 {
            let guess = attempt("acme", &format!("guess{number}@example.com"), "wrong password");
            assert!(
                matches!(app.login(&guess), Err(LoginRefusal::WrongCredentials)),
                "{number}"
            );
        }
        let right = attempt("acme", "owner@example.com", PASSWORD);
        assert_eq!(throttled(&app.login(&right)), Some(600));
        let elsewhere = LoginAttempt {
            address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)),
            ..right
        };
        app.login(&elsewhere).expect("from another address");
    });
}

#[test]
fn an_ipv6_guesser_does_not_escape_within_their_network() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    app.with_company("acme");
    for number in 0..100_u16 {
        let mut guess = attempt("acme", &format!("guess{number}@example.com"), "wrong password");
        guess.address = IpAddr::from([0x2001, 0xdb8, 1, 2, number, 0, 0, 1]);
        assert!(matches!(app.login(&guess), Err(LoginRefusal::WrongCredentials)));
    }
    let mut right = attempt("acme", "owner@example.com", PASSWORD);
    right.address = IpAddr::from([0x2001, 0xdb8, 1, 2, 9, 9, 9, 9]);
    assert_eq!(throttled(&app.login(&right)), Some(600));
    right.address = IpAddr::from([0x2001, 0xdb8, 1, 3, 9, 9, 9, 9]);
    app.login(&right).expect("from another network");
}

#[test]
fn a_token_ends_with_its_time_a_revocation_a_new_password_or_its_member() {
    on_both(|app| {
        let company = app.with_company("acme");
        let refused = |token: &str| matches!(app.authenticate(token), Err(Error::Unauthenticated));

        let first = token(app, "acme");
        let second = token(app, "acme");
        let listed = app.tokens(&operator(app, &company)).expect("tokens");
        assert_eq!(listed.len(), 2);
        assert!(
            app.revoke_token(&operator(app, &company), listed[0].id)
                .expect("revoked")
        );
        assert!(
            !app.revoke_token(&operator(app, &company), listed[0].id)
                .expect("revoked already")
        );
        assert!(refused(&first) && !refused(&second));
        app.clock.advance(24 * 60 * 60 - 1);
        assert!(!refused(&second));
        app.clock.advance(1);
        assert!(refused(&second));

        let third = token(app, "acme");
        let set = app
            .set_member_password(&operator(app, &company), "owner@example.com", None)
            .expect("a new password");
        assert_eq!(set.revoked_tokens, 1);
        assert!(refused(&third));
        let made = set.made.expect("it was made");
        app.login(&attempt("acme", "owner@example.com", &made))
            .expect("the new password");

        app.with_member(&company, "sender@example.com", Role::Sender);
        let sender = app
            .login(&attempt("acme", "sender@example.com", PASSWORD))
            .expect("a login")
            .access_token;
        app.disable_member(&operator(app, &company), "sender@example.com")
            .expect("disabled");
        assert!(refused(sender.expose()));
        for nonsense in ["", "x", &"A".repeat(43), &"A".repeat(100_000)] {
            assert!(refused(nonsense));
        }
    });
}

#[test]
fn another_company_sees_neither_tokens_nor_clients_nor_members() {
    on_both(|app| {
        let acme = app.with_company("acme");
        let other = app.with_company("other");
        token(app, "acme");
        let id = app.tokens(&operator(app, &acme)).expect("tokens")[0].id;
        assert!(app.tokens(&operator(app, &other)).expect("tokens").is_empty());
        assert!(matches!(
            app.revoke_token(&operator(app, &other), id),
            Err(Error::NotFound(Subject::Token))
        ));
        let client = app.clients(&operator(app, &acme)).expect("clients")[0].id;
        assert!(matches!(
            app.client_secret(&operator(app, &other), Some(client)),
            Err(Error::NotFound(Subject::Client))
        ));
        assert!(matches!(
            app.rotate_client_secret(&operator(app, &other), Some(client)),
            Err(Error::NotFound(Subject::Client))
        ));
        app.with_member(&acme, "sender@example.com", Role::Sender);
        let unknown = app.set_member_password(&operator(app, &other), "sender@example.com", None);
        assert!(matches!(unknown, Err(Error::NotFound(Subject::Member))), "{unknown:?}");
    });
}

#[test]
fn an_address_has_one_account_and_a_company_keeps_an_owner() {
    on_both(|app| {
        let company = app.with_company("acme");
        let new = NewMember {
            email: "OWNER@example.com".to_owned(),
            name: None,
            role: Role::Auditor,
            password: None,
        };
        let twice = app.add_member(&operator(app, &company), new.clone());
        assert!(
            matches!(
                twice,
                Err(Error::Conflict {
                    code: ConflictCode::MemberExists,
                    ..
                })
            ),
            "{twice:?}"
        );
        let malformed = app.add_member(
            &operator(app, &company),
            NewMember {
                email: "no address".to_owned(),
                ..new
            },
        );
        assert!(matches!(malformed, Err(Error::Unprocessable(_))), "{malformed:?}");
        let last = app.disable_member(&operator(app, &company), "owner@example.com");
        assert!(
            matches!(
                last,
                Err(Error::Conflict {
                    code: ConflictCode::LastOwner,
                    ..
                })
            ),
            "{last:?}"
        );
        app.with_member(&company, "second@example.com", Role::Owner);
        assert!(
            app.disable_member(&operator(app, &company), "owner@example.com")
                .expect("not the last any more")
        );
    });
}

#[test]
fn after_a_rotation_both_secrets_sign_for_a_day() {
    on_both(|app| {
        let company = app.with_company("acme");
        let old = app.client_secret(&operator(app, &company), None).expect("a secret");
        let new = app
            .rotate_client_secret(&operator(app, &company), None)
            .expect("a rotation");
        assert_ne!(old.secret.expose(), new.secret.expose());
        let signing = |client: ClientId| {
            let (shared, company, now) = (std::sync::Arc::clone(&app.app), company.clone(), app.now());
            let secrets = app
                .store
                .read(move |tx| shared.webhook_secrets(tx, &company, client, now))
                .expect("secrets");
            secrets
                .at(now)
                .iter()
                .map(app::WebhookSecret::expose)
                .collect::<Vec<_>>()
        };
        assert_eq!(signing(new.id), [new.secret.expose(), old.secret.expose()]);
        app.clock.advance(24 * 60 * 60);
        assert_eq!(signing(new.id), [new.secret.expose()]);
        // Each secret signs until its own day has passed, regardless of further rotations.
        let mut secrets = vec![new.secret.expose()];
        for _ in 0..4 {
            app.clock.advance(60);
            let next = app
                .rotate_client_secret(&operator(app, &company), None)
                .expect("another rotation");
            secrets.insert(0, next.secret.expose());
            assert_eq!(signing(new.id), secrets);
        }
        let refused = app.rotate_client_secret(&operator(app, &company), None);
        assert!(
            matches!(
                refused,
                Err(Error::Conflict {
                    code: ConflictCode::TooManySecrets,
                    ..
                })
            ),
            "{refused:?}"
        );
        assert_eq!(signing(new.id), secrets, "nothing has changed");
        app.clock.advance(24 * 60 * 60 - 3 * 60);
        // The message contains the number of secrets, and the time of the next possible rotation.
        let message = refused.expect_err("a refusal").message(Language::En);
        let room = app.now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
        assert!(
            message.contains("already has five active signing secrets") && message.contains(&room),
            "{message}"
        );
        secrets.pop();
        assert_eq!(signing(new.id), secrets, "the oldest day is over");
        app.rotate_client_secret(&operator(app, &company), None)
            .expect("there is room");
        app.clock.advance(24 * 60 * 60);
        assert_eq!(signing(new.id).len(), 1);
    });
}

#[test]
fn a_session_ends_when_it_is_signed_out_and_guards_its_forms() {
    on_both(|app| {
        let company = app.with_company("acme");
        let credentials = attempt("acme", "owner@example.com", PASSWORD);
        let first = app.sign_in(&credentials, None).expect("signed in").cookie;
        let second = app.sign_in(&credentials, None).expect("signed in").cookie;
        let session = app.session(first.expose()).expect("a session");
        assert_eq!(session.actor.requester(), Requester::Company(company));
        assert!(session.check_form(&session.form_token).is_ok());
        let others = app.session(second.expose()).expect("a session").form_token;
        assert!(matches!(
            session.check_form(&others),
            Err(Error::Forbidden(ForbiddenCode::CrossSite))
        ));
        assert!(session.check_form("").is_err());
        app.sign_out(first.expose()).expect("signed out");
        assert!(matches!(app.session(first.expose()), Err(Error::Unauthenticated)));
        app.session(second.expose()).expect("the other session lives");
        app.clock.advance(12 * 60 * 60);
        assert!(matches!(app.session(second.expose()), Err(Error::Unauthenticated)));
        let wrong = app.sign_in(&attempt("acme", "owner@example.com", "wrong password"), None);
        assert!(matches!(wrong, Err(LoginRefusal::WrongCredentials)));
    });
}

#[test]
fn a_session_ends_after_twelve_hours_without_a_request() {
    on_both(|app| {
        app.with_company("acme");
        let credentials = attempt("acme", "owner@example.com", PASSWORD);
        let cookie = app.sign_in(&credentials, None).expect("signed in").cookie;
        for _ in 0..3 {
            app.clock.advance(12 * 60 * 60 - 1);
            app.session(cookie.expose()).expect("each request lets it live on");
        }
        app.clock.advance(12 * 60 * 60);
        assert!(matches!(app.session(cookie.expose()), Err(Error::Unauthenticated)));
        app.clock.advance(-60);
        app.session(cookie.expose()).expect("the clock was set back");
        app.clock.advance(60);
        assert_eq!(app.clean_access().expect("cleaned").sessions, 0, "it was just used");
        app.clock.advance(12 * 60 * 60);
        assert_eq!(app.clean_access().expect("cleaned").sessions, 1);
    });
}

#[test]
fn a_session_ends_thirty_days_after_it_began_however_much_it_is_used() {
    on_both(|app| {
        app.with_company("acme");
        let credentials = attempt("acme", "owner@example.com", PASSWORD);
        let cookie = app.sign_in(&credentials, None).expect("signed in").cookie;
        let step = 10 * 60 * 60;
        for _ in 1..72 {
            app.clock.advance(step);
            app.session(cookie.expose()).expect("it is used");
        }
        app.clock.advance(step - 1);
        app.session(cookie.expose()).expect("its last second");
        app.clock.advance(1);
        assert!(matches!(app.session(cookie.expose()), Err(Error::Unauthenticated)));
    });
}

#[test]
fn a_new_sign_in_ends_the_session_that_the_browser_had_and_no_other() {
    on_both(|app| {
        let company = app.with_company("acme");
        app.with_member(&company, "other@example.com", Role::Sender);
        let credentials = attempt("acme", "owner@example.com", PASSWORD);
        let elsewhere = app.sign_in(&credentials, None).expect("another browser").cookie;
        let planted = app
            .sign_in(&attempt("acme", "other@example.com", PASSWORD), None)
            .expect("somebody else's")
            .cookie;
        let wrong = app.sign_in(
            &attempt("acme", "owner@example.com", "a wrong one"),
            Some(planted.expose()),
        );
        assert!(matches!(wrong, Err(LoginRefusal::WrongCredentials)));
        app.session(planted.expose()).expect("a wrong password ends nothing");
        let own = app
            .sign_in(&credentials, Some(planted.expose()))
            .expect("signed in")
            .cookie;
        assert_ne!(own, planted);
        assert!(matches!(app.session(planted.expose()), Err(Error::Unauthenticated)));
        app.session(own.expose()).expect("the new one");
        app.session(elsewhere.expose()).expect("the other browser's");
        for nonsense in ["", "x", &"A".repeat(43)] {
            app.sign_in(&credentials, Some(nonsense)).expect("no session at all");
        }
    });
}

#[test]
fn a_sign_in_form_is_for_the_browser_it_was_made_for_and_for_two_hours() {
    on_both(|app| {
        let form = app.sign_in_form(None);
        let is_taken = |cookie: Option<&str>, token: &str| app.check_sign_in_form(cookie, token).is_ok();
        assert!(is_taken(Some(&form.cookie), &form.token));
        // A reload or a second tab does not invalidate the first form.
        assert_eq!(app.sign_in_form(Some(&form.cookie)).token, form.token);
        let other = app.sign_in_form(None);
        assert_ne!((&other.cookie, &other.token), (&form.cookie, &form.token));
        assert!(!is_taken(Some(&other.cookie), &form.token));
        assert!(!is_taken(None, &form.token) && !is_taken(Some(&form.cookie), ""));
        // Invented or changed values are never a pair, and no form accepts them.
        let chosen = "0123456789abcdef0123456789abcdef";
        let later = form.cookie.replacen('1', "2", 1);
        for cookie in [
            chosen,
            "",
            ".",
            "..",
            "1767225600.AAAA.AAAA",
            later.as_str(),
            &form.token,
        ] {
            assert!(
                !is_taken(Some(cookie), cookie) && !is_taken(Some(cookie), &form.token),
                "{cookie}"
            );
            assert_ne!(app.sign_in_form(Some(cookie)).cookie, cookie);
        }
        app.clock.advance(60 * 60);
        let renewed = app.sign_in_form(Some(&form.cookie));
        assert_ne!(renewed.cookie, form.cookie);
        app.clock.advance(60 * 60 - 1);
        assert!(is_taken(Some(&form.cookie), &form.token));
        app.clock.advance(1);
        assert!(!is_taken(Some(&form.cookie), &form.token));
        assert!(is_taken(Some(&renewed.cookie), &renewed.token));
    });
}

#[test]
fn a_new_password_is_held_to_the_rules_and_an_old_one_keeps_working() {
    on_both(|app| {
        let company = app.with_company("acme");
        let set = |password: &str| {
            app.set_member_password(&operator(app, &company), "owner@example.com", Some(password.to_owned()))
        };
        for (password, code) in [
            ("lantern 47", FaultCode::PasswordTooShort),
            (&*"k7#Qz!p2".repeat(200), FaultCode::PasswordTooLong),
            ("password1234", FaultCode::PasswordTooWeak),
            ("Owner@Example.com 47", FaultCode::PasswordNamesOwner),
            ("lantern 47 ACME 주식회사", FaultCode::PasswordNamesOwner),
        ] {
            match set(password) {
                Err(Error::Unprocessable(faults)) => {
                    assert_eq!(
                        (faults[0].path.as_str(), faults[0].code),
                        ("password", code),
                        "{password}"
                    );
                    for language in Language::ALL {
                        let message = faults[0].message(language);
                        assert!(
                            message.chars().count() > 20 && !message.contains(code.id()),
                            "{message}"
                        );
                    }
                }
                other => panic!("{password}: {other:?}"),
            }
            let new = NewMember {
                email: "owner@example.com".to_owned(),
                name: None,
                role: Role::Sender,
                password: Some(password.to_owned()),
            };
            match app.add_member(&operator(app, &company), new) {
                Err(Error::Unprocessable(faults)) => assert_eq!(faults[0].code, code, "{password}"),
                other => panic!("{password}: {other:?}"),
            }
        }
        app.login(&attempt("acme", "owner@example.com", PASSWORD))
            .expect("nothing has changed");
        let longest = format!("{} 가", "plover lantern quay 47 ".repeat(44));
        assert!(longest.len() > 1_000 && longest.len() <= 1_024, "{}", longest.len());
        set(&longest).expect("as long as may be");
        app.login(&attempt("acme", "owner@example.com", &longest))
            .expect("it is read as a whole");
        let cut: String = longest.chars().take(512).collect();
        let wrong = app.login(&attempt("acme", "owner@example.com", &cut));
        assert!(matches!(wrong, Err(LoginRefusal::WrongCredentials)));
        // A password from before the rules, which logins do not apply.
        let old = Argon2::default()
            .hash_password_with_salt(b"secret12", &[7; 16])
            .expect("a hash")
            .to_string();
        app.store
            .write(move |tx| tx.execute(&SET_HASH, store::values![&old]))
            .expect("an old password");
        app.login(&attempt("acme", "owner@example.com", "secret12"))
            .expect("it keeps working");
    });
}

#[test]
fn what_has_had_its_day_is_removed_and_nothing_else() {
    on_both(|app| {
        let company = app.with_company("acme");
        token(app, "acme");
        app.sign_in(&attempt("acme", "owner@example.com", PASSWORD), None)
            .expect("signed in");
        app.login(&attempt("acme", "owner@example.com", "wrong password"))
            .expect_err("wrong");
        assert_eq!(app.clean_access().expect("cleaned"), app::Cleaned::default());
        app.clock.advance(32 * 24 * 60 * 60);
        let live = token(app, "acme");
        assert_eq!(
            app.clean_access().expect("cleaned"),
            app::Cleaned {
                guesses: 0,
                addresses: 0,
                logos: 0,
                tokens: 1,
                sessions: 1,
                failures: 1
            }
        );
        app.authenticate(&live).expect("the live token stays");
        assert_eq!(app.tokens(&operator(app, &company)).expect("tokens").len(), 1);
    });
}

#[test]
fn a_database_is_not_opened_with_another_master_key() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let other = app::Vault::new(&[4; 32], std::sync::Arc::clone(&app.random));
    let refused = app::installation::set_up(&app.store, &other, app.clock.as_ref());
    assert!(matches!(refused, Err(Error::Internal { .. })), "{refused:?}");
    app::installation::set_up(&app.store, &app.vault, app.clock.as_ref()).expect("its own key");
}

#[test]
fn wrong_credentials_of_every_kind_cost_one_hash_each_and_are_answered_alike() {
    on_both(|app| {
        let company = app.with_company("acme");
        app.with_member(&company, "gone@example.com", Role::Sender);
        app.disable_member(&operator(app, &company), "gone@example.com")
            .expect("disabled");
        let long = "x".repeat(10_000);
        for (company, email, password) in [
            ("acme", "owner@example.com", "a wrong password"),
            ("acme", "owner@example.com", ""),
            ("acme", "owner@example.com", long.as_str()),
            ("acme", "nobody@example.com", PASSWORD),
            ("acme", "gone@example.com", PASSWORD),
            ("acme", "owner\0@example.com", PASSWORD),
            ("other", "owner@example.com", PASSWORD),
            ("no such company!", "owner@example.com", PASSWORD),
        ] {
            let before = app.computed_password_hashes();
            let refused = app.login(&attempt(company, email, password));
            assert!(matches!(refused, Err(LoginRefusal::WrongCredentials)), "{refused:?}");
            assert_eq!(app.computed_password_hashes() - before, 1, "{company} {email}");
        }
        let before = app.computed_password_hashes();
        token(app, "acme");
        assert_eq!(
            app.computed_password_hashes() - before,
            1,
            "the right ones cost no less"
        );
    });
}
