//! Tests the seal levels, keys and proofs of documents.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use app::{CompanyChange, Error, FaultCode, Outcome, Standing};
use document::pki::keys::{KeyKind, SealKey, certificates_from_pem};
use document::pki::revocation::{RevocationReason, list_validity, serial_number};
use document::sealing::validation_data::evidence;
use document::verify::{Note, TrustedRoots};
use domain::{Language, Requester, SealLevel, SealMark, Status, Zone};
use jiff::ToSpan;
use testkit::operator::operator;
use testkit::time_stamp_authority::{Revocation, TimeStampAuthority};

use crate::sealing_world::{
    DAY, SMALL, TOO_LARGE, bring, complete, files, with_authority, with_authority_asked_by, with_own_certificate,
};
use crate::support::{on_both, text_of};
use crate::timestamps::{before_the_last, level_of, signed_by_a_stranger};
use crate::world::{World, act, given, two_steps};

#[test]
fn a_company_chooses_its_level_and_a_senseless_choice_is_refused() {
    with_authority(
        |_| {},
        |app, _| {
            let world = World::new(app, &two_steps());
            let mut lengths = Vec::new();
            for level in SealLevel::ALL {
                let change = CompanyChange {
                    seal_level: Some(Some(level)),
                    ..CompanyChange::default()
                };
                app.change_company(&operator(app, &world.company), &change)
                    .expect("changed");
                let id = complete(&world);
                let [document, _] = files(&world, id);
                let evidence = evidence(&document).expect("evidence");
                assert_eq!(evidence.has_timestamp, level >= SealLevel::Timestamp);
                assert_eq!(evidence.archive.is_some(), level == SealLevel::Archive);
                lengths.push(document.len());
            }
            // The placeholder has the same size with a timestamp. The data and the archive timestamp are appended.
            assert!(lengths[1] < lengths[2] && lengths[2] < lengths[3], "{lengths:?}");
        },
    );
    on_both(|app| {
        let company = app.with_company("acme");
        let change = CompanyChange {
            seal_level: Some(Some(SealLevel::Timestamp)),
            ..CompanyChange::default()
        };
        let refused = app
            .change_company(&operator(app, &company), &change)
            .expect_err("no authority");
        assert!(
            matches!(&refused, Error::Unprocessable(faults) if faults[0].code == FaultCode::NotSealable),
            "{refused}"
        );
        let change = CompanyChange {
            tsa_url: Some(Some("http://127.0.0.1/tsa".to_owned())),
            ..CompanyChange::default()
        };
        let refused = app
            .change_company(&operator(app, &company), &change)
            .expect_err("a private address");
        assert!(
            matches!(&refused, Error::Unprocessable(faults) if faults[0].code == FaultCode::CallbackNotPublic),
            "{refused}"
        );
    });
}

#[test]
fn a_revoked_certificate_seals_nothing_and_starts_nothing() {
    for level in SealLevel::ALL {
        with_authority(
            |settings| settings.level = Some(level),
            |app, wire| {
                let world = World::new(app, &two_steps());
                let certificate = with_own_certificate(app, wire, &world.company);
                let id = before_the_last(&world);
                wire.authority.revoke(&certificate);
                // Makes the cached responses stale.
                app.clock.advance(DAY + 1);
                let is_refused = |error: &Error| error.id() == "seal-certificate-revoked";
                let refused = world
                    .approve(id, act(vec![given("pay", "100")]))
                    .expect_err("it is revoked");
                assert!(is_refused(&refused), "{refused}");
                let refused = world.try_start(world.request()).expect_err("it is revoked");
                assert!(is_refused(&refused), "{refused}");
                assert_eq!(app.prove_sealing().expect("the server starts").len(), 1);
                // With a new key, approvals work again.
                with_own_certificate(app, wire, &world.company);
                world
                    .approve(id, act(vec![given("pay", "100")]))
                    .expect("the last approval");
                assert!(app.prove_sealing().expect("it can").is_empty());
            },
        );
    }
}

/// A certificate that names no source of proof cannot produce a seal of level B-LT, whatever the company wants. Only
/// the next archive timestamp is due.
#[test]
fn a_seal_states_no_level_that_its_file_has_not() {
    for (level, list, with_root) in [
        (SealLevel::Archive, None, true),
        (SealLevel::LongTerm, None, true),
        // The chain ends before its root.
        (SealLevel::LongTerm, Some("/signer.crl"), false),
    ] {
        with_authority(
            |settings| settings.level = Some(level),
            |app, wire| {
                let world = World::new(app, &two_steps());
                let ends = app.now() + (900 * 24).hours();
                // A certificate of another issuer, which the list of the time-stamp authority does not cover.
                let other = TimeStampAuthority::start(Arc::clone(&app.clock) as _, Revocation::None, ends);
                let (key, certificate) = other.certify_signer(ends, list, None);
                let mut certificates = vec![certificate];
                if with_root {
                    certificates.push(other.root());
                }
                bring(app, &world.company, &key, &certificates);
                let id = complete(&world);
                let [document, certificate] = files(&world, id);
                let pem = other.root_pem() + &wire.authority.root_pem();
                let roots = TrustedRoots::from_pem(&pem).expect("roots");
                let verdict = document::verify::verify(&document, &roots, app.now());
                assert_eq!(verdict.signatures[0].level, Some(SealLevel::Timestamp), "{verdict:?}");
                let text = text_of(&certificate);
                assert!(text.contains("PAdESB-T") && !text.contains("PAdESB-L"), "{text}");
                app.clock.advance(3600);
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "nothing more can be had");
            },
        );
    }
}

/// An issuer's certificate that must be fetched is fetched once, whether alone or in a collection (RFC 5280, 4.2.2.1).
#[test]
fn an_issuer_is_fetched_once() {
    for place in ["/issuer.cer", "/issuer.p7c"] {
        with_authority(
            |_| {},
            |app, wire| {
                let world = World::new(app, &two_steps());
                let ends = app.now() + (900 * 24).hours();
                let (key, certificate) = wire.authority.certify_signer(ends, Some("/signer.crl"), Some(place));
                bring(app, &world.company, &key, &[certificate]);
                let id = complete(&world);
                complete(&world);
                for file in files(&world, id) {
                    assert_eq!(level_of(app, wire, &file), Some(SealLevel::Archive), "{place}");
                }
                assert_eq!(wire.issuers_fetched.load(Ordering::SeqCst), 1);
                // The level is stated only if the chain was followed to its root.
                let text = text_of(&files(&world, id)[1]);
                assert!(text.contains("PAdESB-LTA"), "{place}: {text}");
            },
        );
    }
}

#[test]
fn proofs_that_are_too_large_for_a_file_are_left_out_and_lower_its_level() {
    with_authority(
        |_| {},
        |app, wire| {
            wire.padding.store(TOO_LARGE, Ordering::SeqCst);
            let world = World::new(app, &two_steps());
            with_own_certificate(app, wire, &world.company);
            let id = complete(&world);
            let [document, certificate] = files(&world, id);
            // The stated level is what was proved. The authority's own list happens to be from the same issuer.
            for file in [&document, &certificate] {
                assert!(file.len() < SMALL, "{}", file.len());
            }
            let text = text_of(&certificate);
            assert!(text.contains("PAdESB-T") && !text.contains("PAdESB-L"), "{text}");
        },
    );
}

#[test]
fn proofs_of_others_that_are_too_large_for_a_file_hold_up_no_seal() {
    with_authority(
        |_| {},
        |app, wire| {
            let company = app.with_company("acme");
            let (signed, details) = signed_by_a_stranger(app, wire, Some("/signer.crl"));
            let sealed = |padding| {
                wire.padding.store(padding, Ordering::SeqCst);
                let sealed = app
                    .seal_file(&operator(app, &company), &signed, &details, &app.proof_patience())
                    .expect("sealed");
                (sealed.level, sealed.bytes.len() < SMALL, sealed.timestamp_due)
            };
            let soon = app.now() + 10.minutes();
            assert_eq!(sealed(TOO_LARGE), (SealLevel::Archive, true, Some(soon)));
            // Cached responses are used for a day.
            app.clock.advance(DAY + 1);
            let (level, is_small, due) = sealed(0);
            assert_eq!((level, is_small), (SealLevel::Archive, true));
            assert!(due > Some(app.now() + (200 * 24).hours()), "only the renewal: {due:?}");
        },
    );
}

/// All requests for one approval, for both its files, share one time limit: responders, lists, issuers, and those of
/// the time-stamp authority.
#[test]
fn silent_sources_together_are_waited_for_no_longer_than_the_settings_say() {
    const WAIT: Duration = Duration::from_secs(40);
    // The sources are queried in this order: if the chain is known, a responder and then a list.
    for (issuer, asked) in [(None, 2), (Some("/issuer.cer"), 1)] {
        for revocation in [Revocation::List, Revocation::Responder] {
            with_authority_asked_by(
                revocation,
                |settings| settings.proof_wait = WAIT,
                |app, wire| {
                    let world = World::new(app, &two_steps());
                    let ends = app.now() + (900 * 24).hours();
                    let (key, certificate) =
                        wire.authority
                            .certify_signer_answered(ends, Some("/signer.crl"), issuer, Some("/ocsp"));
                    let root = issuer.is_none().then(|| wire.authority.root());
                    let certificates: Vec<Vec<u8>> = [certificate].into_iter().chain(root).collect();
                    bring(app, &world.company, &key, &certificates);
                    let id = before_the_last(&world);
                    app.clock.advance(DAY + 1);
                    wire.is_slow.store(true, Ordering::SeqCst);
                    world
                        .approve(id, act(vec![given("pay", "100")]))
                        .expect("the last approval");
                    let waited = wire.waited.lock().expect("no panic while locked").clone();
                    assert!(waited.len() >= asked, "{waited:?}");
                    assert!(waited.iter().sum::<Duration>() <= WAIT, "{waited:?}");
                    // Each source gets half of the time that the previous ones left.
                    assert!(waited.windows(2).all(|pair| pair[1] == pair[0] / 2), "{waited:?}");
                    assert_eq!(level_of(app, wire, &files(&world, id)[0]), Some(SealLevel::Timestamp));
                },
            );
        }
    }
}

/// If extending a document breaks another party's signature, nobody receives the result.
#[test]
fn an_extended_document_that_does_not_verify_is_not_sealed() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            // Their seal locks the form, so intake would refuse the file.
            let (signed, _) = signed_by_a_stranger(app, wire, None);
            let mut stored = app
                .template(&operator(app, &world.company), world.template)
                .expect("it")
                .stored;
            let hash = app.blobs.put(&signed).expect("kept");
            stored.version.pdf = hash;
            stored.original = hash;
            let (company, id) = (world.company.clone(), world.template);
            app.store
                .write(move |tx| {
                    let name = stored.version.name.clone();
                    stored.version.version = store::template::advance(tx, &company, id, &name)?.expect("it");
                    store::template::insert_version(tx, &stored)
                })
                .expect("a version");
            let bad = before_the_last(&world);
            let refused = world
                .approve(bad, act(vec![given("pay", "100")]))
                .expect_err("it is not sound");
            assert!(matches!(refused, Error::Internal { .. }), "{refused}");
            let state = world.app.workflow(&world.caller, bad).expect("the workflow");
            assert_ne!(state.status, Status::Complete.code());
        },
    );
}

#[test]
fn a_revoked_key_stands_on_the_list_and_is_never_used_again() {
    on_both(|app| {
        let company = app.with_company("acme");
        let empty = app.revocation_list().expect("a list");
        let parsed = list_validity(&empty).expect("readable");
        assert!(parsed.this_update <= app.now() && parsed.next_update > Some(app.now()));
        assert_eq!(app.revocation_list().expect("the same"), empty);

        let old = app.seal_key_details(&operator(app, &company)).expect("a key");
        let new = app
            .renew_seal_key(
                &operator(app, &company),
                KeyKind::EcdsaP256,
                Some(RevocationReason::KeyCompromise),
            )
            .expect("renewed");
        assert_ne!(old.certificate, new.certificate);
        assert_eq!(app.seal_key_details(&operator(app, &company)).expect("a key"), new);
        let list = app.revocation_list().expect("a list");
        let serial = |pem: &str| serial_number(&certificates_from_pem(pem).expect("PEM")[0]).expect("a number");
        let holds = |serial: &[u8]| list.windows(serial.len()).any(|window| window == serial);
        assert!(holds(&serial(&old.certificate)) && !holds(&serial(&new.certificate)));

        app.clock.advance(DAY + 1);
        assert_ne!(
            app.revocation_list().expect("a list"),
            list,
            "a list is renewed every day"
        );
    });
}

/// Verifying at the installation that revoked the key reports the revocation, unless a timestamp proves that the seal is older.
#[test]
fn the_seal_of_a_revoked_key_is_not_called_genuine_here() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = complete(&world);
        let [document, certificate] = files(&world, id);
        for file in [&document, &certificate] {
            let verdict = app.verdict(&Requester::unknown(), file).expect("a verdict");
            assert!(verdict.holds_strictly(), "{verdict:?}");
            // The revocation status is known, because this installation is the issuer.
            let is_open = |note: &Note| matches!(note, Note::RevocationUnknown { .. });
            assert!(
                !verdict.signatures.iter().flat_map(|one| &one.notes).any(is_open),
                "{verdict:?}"
            );
        }
        app.clock.advance(60);
        app.renew_seal_key(
            &operator(app, &world.company),
            KeyKind::EcdsaP256,
            Some(RevocationReason::KeyCompromise),
        )
        .expect("renewed");
        for file in [&document, &certificate] {
            let verdict = app.verdict(&Requester::unknown(), file).expect("a verdict");
            assert!(!verdict.holds(), "{verdict:?}");
            for (language, title, reason) in [
                (Language::Ko, "폐지된 인증서로 서명되었습니다", "키 유출"),
                (
                    Language::En,
                    "Signed with a revoked certificate",
                    "someone else may have the key",
                ),
                (Language::Ja, "失効した証明書で署名されています", "鍵の漏えい"),
            ] {
                let words = app::verdict_words(language, Zone::default(), &verdict);
                assert_eq!((words.outcome, words.title.as_str()), (Outcome::Revoked, title));
                assert!(
                    words.text.contains(reason) && words.text.contains("2026"),
                    "{}",
                    words.text
                );
                assert_eq!(words.signatures[0].standing, Standing::Revoked);
                assert!(words.signatures[0].problems[0].contains(reason), "{words:?}");
            }
        }
        // A seal with the new key is valid, also days later when the list was renewed.
        let id = complete(&world);
        app.clock.advance(3 * DAY);
        for file in &files(&world, id) {
            assert!(
                app.verdict(&Requester::unknown(), file)
                    .expect("a verdict")
                    .holds_strictly()
            );
        }
        assert!(
            !app.verdict(&Requester::unknown(), &document)
                .expect("a verdict")
                .holds()
        );
    });
}

/// A company can have the seal mark on no page, on the last page, or on every page.
#[test]
fn a_seal_leaves_a_mark_on_the_pages_where_the_company_wants_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (mark, pages) in [(SealMark::None, 0), (SealMark::LastPage, 1), (SealMark::EveryPage, 2)] {
            let change = CompanyChange {
                seal_mark: Some(mark),
                ..CompanyChange::default()
            };
            let changed = app
                .change_company(&operator(app, &world.company), &change)
                .expect("changed");
            assert_eq!(app.company(&world.company).expect("it").seal_mark, changed.seal_mark);
            let id = complete(&world);
            let [document, certificate] = files(&world, id);
            let words = format!("문서번호{id}");
            assert_eq!(text_of(&document).matches(&words).count(), pages, "{mark:?}");
            let roots = app.trusted_roots().expect("a root");
            for file in [&document, &certificate] {
                let verdict = document::verify::verify(file, &roots, app.now());
                assert!(verdict.holds_strictly(), "{verdict:?}");
            }
        }
    });
}

#[test]
fn a_server_starts_and_says_which_companies_cannot_seal() {
    on_both(|app| {
        assert!(app.prove_sealing().expect("nothing to seal yet").is_empty());
        app.with_company("acme");
        assert!(app.prove_sealing().expect("it can").is_empty());
        // The certificates are valid for ten years.
        app.clock.advance(4000 * DAY);
        let unusable = app.prove_sealing().expect("it starts");
        assert_eq!(unusable[0].1.id(), "seal-certificate-expired");
    });
}

/// Imports a company's own key in a file created by OpenSSL.
#[test]
fn a_company_brings_its_own_key() {
    on_both(|app| {
        let company = app.with_company("acme");
        let before = app.seal_key_details(&operator(app, &company)).expect("a key");
        let directory = tempfile::tempdir().expect("a directory");
        let make = |arguments: &str| {
            let output = std::process::Command::new("openssl")
                .args(arguments.split_whitespace())
                .current_dir(directory.path())
                .output()
                .expect("openssl runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let read = |name: &str| std::fs::read(directory.path().join(name)).expect("a file");
        make("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 9000 -subj /CN=Authority");
        for (name, usage) in [("good", "digitalSignature"), ("bad", "keyEncipherment")] {
            std::fs::write(directory.path().join("ext"), format!("keyUsage=critical,{usage}\n")).expect("written");
            make(&format!(
                "req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}"
            ));
            make(&format!(
                "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 8000 -extfile ext"
            ));
            make(&format!(
                "pkcs12 -export -inkey {name}.key -in {name}.pem -certfile ca.pem -passout pass:geheim -out {name}.p12"
            ));
        }
        let refused = app
            .import_seal_key(&operator(app, &company), &read("good.p12"), "wrong")
            .expect_err("the wrong password");
        assert!(
            refused.to_string().contains("NotSealable") || refused.to_string().contains("not-sealable"),
            "{refused}"
        );
        // OpenSSL uses the machine's clock, so the certificate is not valid yet at the test's time.
        app.import_seal_key(&operator(app, &company), &read("good.p12"), "geheim")
            .expect_err("not in its time");
        assert_eq!(
            app.seal_key_details(&operator(app, &company)).expect("a key"),
            before,
            "nothing changed"
        );
        app.clock.advance(3 * 365 * DAY);
        app.import_seal_key(&operator(app, &company), &read("bad.p12"), "geheim")
            .expect_err("not for signatures");
        let mut damaged = read("good.p12");
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        app.import_seal_key(&operator(app, &company), &damaged, "geheim")
            .expect_err("damaged");
        let details = app
            .import_seal_key(&operator(app, &company), &read("good.p12"), "geheim")
            .expect("taken");
        assert_eq!(
            (details.subject.as_str(), details.issuer.as_str()),
            ("CN=good", "CN=Authority")
        );
        let key = SealKey::from_pkcs12(&read("good.p12"), "geheim").expect("readable");
        assert_eq!(key.certificate_pem(), details.certificate);
        assert_eq!(
            app.seal_key(&company).expect("usable").certificate_pem(),
            details.certificate
        );
    });
}
