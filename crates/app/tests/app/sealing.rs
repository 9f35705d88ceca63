//! How strong documents are sealed, and what happens while a time-stamp authority does not answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::network::{Network, NetworkFault, SourceAddress, WebhookAnswer, WebhookTrial};
use app::{
    CompanyChange, Error, FaultCode, Outcome, SealingSettings, Stage, Standing, TimeStampAuthority as Configured,
};
use document::pki::keys::{KeyKind, PrivateKey, SealKey, certificates_from_pem, certificates_to_pem};
use document::pki::revocation::{RevocationReason, list_validity, serial_number};
use document::sealing::SealDetails;
use document::sealing::validation_data::{ValidationData, add_validation_data, evidence};
use document::verify::{Note, TrustedRoots};
use domain::{
    BlobHash, Clock, CompanyId, EventKind, Language, Requester, SealLevel, SealMark, Status, WhenTsaIsDown, WorkflowId,
    Zone,
};
use jiff::ToSpan;
use testkit::database::TestDatabase;
use testkit::revocation_data::certificates_only;
use testkit::time_stamp_authority::{Fault, Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::support::{TestApp, on_both, text_of};
use crate::workflows::{World, act, fields_of_first, given, id_of, key_of, origin, texts, two_steps};

const DAY: i64 = 24 * 60 * 60;

/// The authority without a network between; it can be cut off.
struct Wire {
    authority: TimeStampAuthority,
    clock: Arc<StandingClock>,
    is_cut: AtomicBool,
    /// Whether nothing but timestamps is answered.
    is_mute: AtomicBool,
    /// Whether whoever answers about signers' certificates is gone.
    is_gone: AtomicBool,
    /// How many bytes larger the list about signers' certificates is.
    padding: AtomicUsize,
    /// Whether whoever is asked is silent until it is no longer waited for.
    is_slow: AtomicBool,
    /// How long it was waited for them.
    waited: Mutex<Vec<Duration>>,
    fetched: AtomicUsize,
    issuers_fetched: AtomicUsize,
}

impl Wire {
    fn answer(&self, url: &str, answer: impl FnOnce(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, NetworkFault> {
        let path = url.rsplit('/').next().unwrap_or_default();
        let is_silent = self.is_cut.load(Ordering::SeqCst) || (path != "tsa" && self.is_slow.load(Ordering::SeqCst));
        let found = answer(path).filter(|_| !is_silent);
        found.ok_or_else(|| NetworkFault {
            url: url.to_owned(),
            reason: "cut off".to_owned(),
        })
    }

    /// A host that is slow takes all the time that it is given.
    fn keep_waiting(&self, within: Duration) {
        if self.is_slow.load(Ordering::SeqCst) {
            self.waited.lock().expect("no panic while locked").push(within);
            self.clock.wait(within);
        }
    }
}

impl Network for Wire {
    fn ask_authority(&self, authority: &Configured, request: Vec<u8>) -> Result<Vec<u8>, NetworkFault> {
        assert_eq!(authority.authorization.as_deref(), Some("Basic c2VhbA=="));
        self.answer(&authority.url, |path| {
            (path == "tsa").then(|| self.authority.answer(&request))
        })
    }

    fn fetch(&self, address: &SourceAddress, within: Duration) -> Result<Vec<u8>, NetworkFault> {
        assert!(within <= Duration::from_secs(30));
        self.fetched.fetch_add(1, Ordering::SeqCst);
        if address.as_str().contains("/issuer.") {
            self.issuers_fetched.fetch_add(1, Ordering::SeqCst);
        }
        self.keep_waiting(within);
        if self.is_mute.load(Ordering::SeqCst) {
            return self.answer(address.as_str(), |_| None);
        }
        self.answer(address.as_str(), |path| {
            let is_gone = self.is_gone.load(Ordering::SeqCst);
            match path {
                "root.crl" => Some(self.authority.revocation_list()),
                "signer.crl" if !is_gone => Some(match self.padding.load(Ordering::SeqCst) {
                    0 => self.authority.revocation_list(),
                    bytes => self.authority.large_revocation_list(bytes),
                }),
                "issuer.cer" => Some(self.authority.root()),
                // Another's certificate may lie there, too.
                "issuer.p7c" => Some(certificates_only(&[
                    self.authority.certificate(),
                    self.authority.root(),
                ])),
                _ => None,
            }
        })
    }

    fn ask(
        &self,
        address: &SourceAddress,
        _media_type: &'static str,
        _question: Vec<u8>,
        within: Duration,
    ) -> Result<Vec<u8>, NetworkFault> {
        self.keep_waiting(within);
        self.answer(address.as_str(), |path| {
            (path == "ocsp").then(|| self.authority.ocsp_response())
        })
    }

    fn try_webhook(&self, trial: &WebhookTrial) -> Result<WebhookAnswer, NetworkFault> {
        self.answer(trial.url.as_str(), |_| None)
            .map(|start| WebhookAnswer { status: 200, start })
    }
}

/// An application with a time-stamp authority whose certificate lives 400 days, on both databases.
fn with_authority(change: impl Fn(&mut SealingSettings), test: impl Fn(&TestApp, &Wire)) {
    with_authority_asked_by(Revocation::List, change, test);
}

/// The same with an authority whose own certificates are asked about in this way.
fn with_authority_asked_by(
    revocation: Revocation,
    change: impl Fn(&mut SealingSettings),
    test: impl Fn(&TestApp, &Wire),
) {
    for database in [TestDatabase::sqlite(), TestDatabase::postgres()] {
        let clock = Arc::new(StandingClock::new());
        let ends = clock.now() + (400 * 24).hours();
        let authority = TimeStampAuthority::start(Arc::clone(&clock) as _, revocation, ends);
        let mut settings = SealingSettings {
            tsa: Some(Configured {
                url: authority.url(),
                policy: None,
                authorization: Some("Basic c2VhbA==".to_owned()),
            }),
            ..SealingSettings::default()
        };
        change(&mut settings);
        let wire = Arc::new(Wire {
            authority,
            clock: Arc::clone(&clock),
            is_cut: AtomicBool::new(false),
            is_mute: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            padding: AtomicUsize::new(0),
            is_slow: AtomicBool::new(false),
            waited: Mutex::default(),
            fetched: AtomicUsize::new(0),
            issuers_fetched: AtomicUsize::new(0),
        });
        let app = TestApp::sealing(database, clock, Arc::clone(&wire) as _, settings);
        test(&app, &wire);
    }
}

/// Starts a workflow and takes it to the last writer.
fn before_the_last(world: &World<'_>) -> WorkflowId {
    let id = id_of(&world.start(world.request()));
    world.approve(id, act(fields_of_first())).expect("the first approval");
    id
}

fn complete(world: &World<'_>) -> WorkflowId {
    let id = before_the_last(world);
    world
        .approve(id, act(vec![given("pay", "100")]))
        .expect("the last approval");
    id
}

fn files(world: &World<'_>, id: WorkflowId) -> [Vec<u8>; 2] {
    let document = world.app.document(&world.caller, id, &origin()).expect("the document");
    let certificate = world
        .app
        .certificate(&world.caller, id, &origin())
        .expect("the certificate");
    [document.bytes, certificate.bytes]
}

fn events(world: &World<'_>, id: WorkflowId) -> Vec<EventKind> {
    let company = world.company.clone();
    let entries = world
        .app
        .store
        .read(move |tx| store::audit::load(tx, &company, id))
        .expect("the chain");
    entries
        .iter()
        .filter_map(domain::Entry::event)
        .map(|event| event.event)
        .collect()
}

#[test]
fn with_an_authority_documents_are_archived_and_without_one_they_are_plain() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            let id = complete(&world);
            for file in files(&world, id) {
                let evidence = evidence(&file).expect("evidence");
                assert!(evidence.has_timestamp);
                let (at, ends) = evidence.archive.expect("an archive timestamp");
                assert_eq!((at, ends), (app.now(), app.now() + (400 * 24).hours()));
            }
            // What was fetched once serves all four timestamps.
            assert_eq!(wire.fetched.load(Ordering::SeqCst), 1);
            assert!(
                app.fsck(std::time::Duration::from_hours(1))
                    .expect("a check")
                    .is_clean()
            );
        },
    );
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = complete(&world);
        for file in files(&world, id) {
            assert!(!evidence(&file).expect("evidence").has_timestamp);
        }
        assert_eq!(app.add_due_timestamps(10).expect("a run"), 0);
    });
}

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
                app.change_company(&world.company, &change).expect("changed");
                let id = complete(&world);
                let [document, _] = files(&world, id);
                let evidence = evidence(&document).expect("evidence");
                assert_eq!(evidence.has_timestamp, level >= SealLevel::Timestamp);
                assert_eq!(evidence.archive.is_some(), level == SealLevel::Archive);
                lengths.push(document.len());
            }
            // The placeholder is the same with a timestamp; the data and the archive timestamp come behind.
            assert!(lengths[1] < lengths[2] && lengths[2] < lengths[3], "{lengths:?}");
        },
    );
    on_both(|app| {
        let company = app.with_company("acme");
        let change = CompanyChange {
            seal_level: Some(Some(SealLevel::Timestamp)),
            ..CompanyChange::default()
        };
        let refused = app.change_company(&company, &change).expect_err("no authority");
        assert!(
            matches!(&refused, Error::Unprocessable(faults) if faults[0].code == FaultCode::NotSealable),
            "{refused}"
        );
        let change = CompanyChange {
            tsa_url: Some(Some("http://127.0.0.1/tsa".to_owned())),
            ..CompanyChange::default()
        };
        let refused = app.change_company(&company, &change).expect_err("a private address");
        assert!(
            matches!(&refused, Error::Unprocessable(faults) if faults[0].code == FaultCode::CallbackNotPublic),
            "{refused}"
        );
    });
}

#[test]
fn while_the_authority_is_down_documents_are_sealed_and_upgraded_later() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            wire.is_cut.store(true, Ordering::SeqCst);
            let id = complete(&world);
            let before = files(&world, id);
            assert!(
                before
                    .iter()
                    .all(|file| !evidence(file).expect("evidence").has_timestamp)
            );
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "it is still down");

            wire.is_cut.store(false, Ordering::SeqCst);
            assert_eq!(
                app.add_due_timestamps(10).expect("a run"),
                0,
                "it is tried again in its time"
            );
            app.clock.advance(11 * 60);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
            let after = files(&world, id);
            for (before, after) in before.iter().zip(&after) {
                assert!(after.starts_with(before), "a timestamp only appends");
                assert_eq!(
                    evidence(after).expect("evidence").archive.map(|(at, _)| at),
                    Some(app.now())
                );
            }
            let told: Vec<EventKind> = events(&world, id);
            let length = |file: &[u8]| file.len() as u64;
            let first = EventKind::Completed {
                document: BlobHash::of(&before[0]),
                length: length(&before[0]),
            };
            assert!(told.contains(&first), "the first hash stays in the chain");
            for (kind, file) in [domain::FileKind::Document, domain::FileKind::Certificate]
                .iter()
                .zip(&after)
            {
                let event = EventKind::Timestamped {
                    file: *kind,
                    hash: BlobHash::of(file),
                    length: length(file),
                };
                assert!(told.contains(&event), "{told:?}");
            }
            app.clock.advance(3600);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "nothing is due");
            let report = app.fsck(std::time::Duration::ZERO).expect("a check");
            assert!(report.is_clean(), "{report:?}");
            assert_eq!(files(&world, id), after, "what is needed was not swept");
        },
    );
}

#[test]
fn a_company_that_waits_keeps_the_draft_and_completes_when_the_authority_is_back() {
    with_authority(
        |settings| settings.when_tsa_is_down = WhenTsaIsDown::Wait,
        |app, wire| {
            let world = World::new(app, &two_steps());
            let id = before_the_last(&world);
            let key = key_of(&world.app.workflow(&world.caller, id).expect("it").playing_url);
            wire.is_cut.store(true, Ordering::SeqCst);
            app.give_consent(&key, "동의합니다", &origin()).expect("consent");
            let refused = app
                .approve_shown(&key, &texts(&[("pay", "100")]), None, &origin())
                .expect_err("it waits");
            assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
            let view = app.open_signing(&key).expect("the page");
            assert_eq!(view.stage, Stage::Write);
            let pay = view
                .fields
                .iter()
                .find(|field| field.field.name == "pay")
                .expect("the field");
            assert_eq!(pay.value.as_deref(), Some("100"), "what was filled in is kept");

            wire.is_cut.store(false, Ordering::SeqCst);
            let signed = app
                .approve_shown(&key, &texts(&[("pay", "100")]), None, &origin())
                .expect("an approval");
            assert_eq!(signed.status, Status::Complete);
            assert!(
                files(&world, id)
                    .iter()
                    .all(|file| evidence(file).expect("evidence").has_timestamp)
            );
        },
    );
}

#[test]
fn an_archive_timestamp_is_renewed_before_its_certificate_ends() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            let id = complete(&world);
            let first = files(&world, id);
            app.clock.advance(309 * DAY);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "not yet");
            app.clock.advance(2 * DAY);
            wire.authority.renew(app.now() + (800 * 24).hours());
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
            let second = files(&world, id);
            for (first, second) in first.iter().zip(&second) {
                assert!(second.starts_with(first));
                let (at, ends) = evidence(second)
                    .expect("evidence")
                    .archive
                    .expect("an archive timestamp");
                assert_eq!((at, ends), (app.now(), app.now() + (800 * 24).hours()));
            }
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0);
        },
    );
}

/// What `verify` says of the level of a file, with our root and the authority's trusted.
fn level_of(app: &TestApp, wire: &Wire, pdf: &[u8]) -> Option<SealLevel> {
    let pem = app.root_certificate().expect("a root") + &wire.authority.root_pem();
    let roots = TrustedRoots::from_pem(&pem).expect("roots");
    let verdict = document::verify::verify(pdf, &roots, app.now());
    assert!(verdict.faults.is_empty(), "{verdict:?}");
    for signature in &verdict.signatures {
        assert!(signature.faults.is_empty(), "{signature:?}");
    }
    verdict.signatures.first().and_then(|signature| signature.level)
}

/// A timestamp that finds no room in the seal never fails an approval: it becomes one of the document.
#[test]
fn a_timestamp_too_large_for_the_seal_becomes_one_of_the_document() {
    for (when_down, level) in [
        (WhenTsaIsDown::SealAndUpgrade, SealLevel::Archive),
        (WhenTsaIsDown::Wait, SealLevel::LongTerm),
        (WhenTsaIsDown::Wait, SealLevel::Timestamp),
    ] {
        with_authority(
            |settings| {
                settings.when_tsa_is_down = when_down;
                settings.level = Some(level);
            },
            |app, wire| {
                wire.authority.err_by(Fault::Size);
                let world = World::new(app, &two_steps());
                let id = complete(&world);
                for file in files(&world, id) {
                    let evidence = evidence(&file).expect("evidence");
                    assert!(!evidence.has_timestamp && evidence.archive.is_some());
                    assert_eq!(level_of(app, wire, &file), Some(level));
                }
            },
        );
    }
}

/// Whoever proves the authority's certificate good is silent: the seal goes on with its timestamp, and gets the proofs later.
#[test]
fn a_seal_goes_on_without_proofs_that_cannot_be_had_and_gets_them_later() {
    for level in [SealLevel::LongTerm, SealLevel::Archive] {
        with_authority(
            |settings| settings.level = Some(level),
            |app, wire| {
                wire.is_mute.store(true, Ordering::SeqCst);
                let world = World::new(app, &two_steps());
                let id = complete(&world);
                let before = files(&world, id);
                for file in &before {
                    assert_eq!(level_of(app, wire, file), Some(SealLevel::Timestamp));
                }
                // One question for both files and four timestamps: who was silent is not asked again at once.
                assert_eq!(wire.fetched.load(Ordering::SeqCst), 1);
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "still silent");
                wire.is_mute.store(false, Ordering::SeqCst);
                app.clock.advance(11 * 60);
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
                for (before, after) in before.iter().zip(files(&world, id)) {
                    assert!(after.starts_with(before));
                    assert_eq!(level_of(app, wire, &after), Some(level));
                }
                app.clock.advance(3600);
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 0, "nothing is due");
                let report = app.fsck(Duration::ZERO).expect("a check");
                assert!(report.is_clean(), "{report:?}");
            },
        );
    }
}

/// Has a company seal with a key of its own, packed as OpenSSL packs it.
fn bring(app: &TestApp, company: &CompanyId, key: &PrivateKey, certificates: &[Vec<u8>]) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
    write("key.der", &key.to_pkcs8().expect("a key"));
    write("all.pem", certificates_to_pem(certificates).as_bytes());
    for arguments in [
        "pkcs8 -inform DER -in key.der -nocrypt -out key.pem",
        "pkcs12 -export -inkey key.pem -in all.pem -passout pass:geheim -out key.p12",
    ] {
        let output = std::process::Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .output()
            .expect("openssl runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let packed = std::fs::read(folder.path().join("key.p12")).expect("packed");
    app.import_seal_key(company, &packed, "geheim").expect("taken");
}

/// A company that seals with a certificate of the authority's root, which names its list.
fn with_own_certificate(app: &TestApp, wire: &Wire, company: &CompanyId) -> Vec<u8> {
    let ends = app.now() + (900 * 24).hours();
    let (key, certificate) = wire.authority.certify_signer(ends, Some("/signer.crl"), None);
    bring(app, company, &key, &[certificate.clone(), wire.authority.root()]);
    certificate
}

/// What proved the signer and the first timestamps good is in the file. Years later nobody may answer for them any more, or
/// they are revoked because they were replaced: the archive goes on.
#[test]
fn an_archive_is_renewed_though_nobody_proves_older_certificates_good_any_more() {
    for is_revoked in [false, true] {
        with_authority(
            |_| {},
            |app, wire| {
                let world = World::new(app, &two_steps());
                let certificate = with_own_certificate(app, wire, &world.company);
                let id = complete(&world);
                let first = files(&world, id);
                app.clock.advance(311 * DAY);
                if is_revoked {
                    wire.authority.revoke(&certificate);
                } else {
                    wire.is_gone.store(true, Ordering::SeqCst);
                }
                wire.authority.renew(app.now() + (800 * 24).hours());
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 1, "revoked: {is_revoked}");
                for (first, second) in first.iter().zip(files(&world, id)) {
                    assert!(second.starts_with(first));
                    assert_eq!(
                        evidence(&second).expect("evidence").archive.map(|(at, _)| at),
                        Some(app.now())
                    );
                    assert_eq!(level_of(app, wire, &second), Some(SealLevel::Archive));
                }
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 0);
            },
        );
    }
}

/// The newest timestamp's own certificate is what a renewal is about: while nobody proves it good, it is tried again.
#[test]
fn an_archive_is_not_renewed_while_its_newest_timestamp_is_not_proved() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            let id = complete(&world);
            app.clock.advance(311 * DAY);
            wire.authority.renew(app.now() + (800 * 24).hours());
            wire.is_mute.store(true, Ordering::SeqCst);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0);
            wire.is_mute.store(false, Ordering::SeqCst);
            app.clock.advance(11 * 60);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
            assert_eq!(level_of(app, wire, &files(&world, id)[0]), Some(SealLevel::Archive));
        },
    );
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
                // What was answered before is used as long as it holds.
                app.clock.advance(DAY + 1);
                let is_refused = |error: &Error| error.id() == "seal-certificate-revoked";
                let refused = world
                    .approve(id, act(vec![given("pay", "100")]))
                    .expect_err("it is revoked");
                assert!(is_refused(&refused), "{refused}");
                let refused = world.try_start(world.request()).expect_err("it is revoked");
                assert!(is_refused(&refused), "{refused}");
                assert_eq!(app.prove_sealing().expect("the server starts").len(), 1);
                // With another key it goes on.
                with_own_certificate(app, wire, &world.company);
                world
                    .approve(id, act(vec![given("pay", "100")]))
                    .expect("the last approval");
                assert!(app.prove_sealing().expect("it can").is_empty());
            },
        );
    }
}

/// A certificate that names nobody who could prove it good makes no seal of B-LT, whatever the company wants; and nothing but
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
                // Another's certificate: the list of the time-stamp authority says nothing of it.
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

/// An issuer that must be fetched is fetched once, alone or among others (RFC 5280, 4.2.2.1).
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
                // It is stated only where the chain was followed to its root.
                let text = text_of(&files(&world, id)[1]);
                assert!(text.contains("PAdESB-LTA"), "{place}: {text}");
            },
        );
    }
}

/// A document that was sealed while nobody said whether its certificate is good, and an hour later, when they do; the
/// certificate. Something happens before the seal.
fn sealed_unproved(world: &World<'_>, wire: &Wire, before_the_seal: impl FnOnce(&[u8])) -> (WorkflowId, Vec<u8>) {
    let certificate = with_own_certificate(world.app, wire, &world.company);
    let id = before_the_last(world);
    // What was answered at the start counts no more.
    world.app.clock.advance(DAY + 1);
    wire.is_mute.store(true, Ordering::SeqCst);
    before_the_seal(&certificate);
    world
        .approve(id, act(vec![given("pay", "100")]))
        .expect("the last approval");
    world.app.clock.advance(3600);
    wire.is_mute.store(false, Ordering::SeqCst);
    (id, certificate)
}

/// Revoked after its timestamp, before what proves it good could be had: the seal was there before the revocation, and the
/// list that is embedded says so (ETSI EN 319 102-1, 5.5.4).
#[test]
fn a_certificate_revoked_after_its_timestamp_still_gets_its_proofs() {
    for level in [SealLevel::LongTerm, SealLevel::Archive] {
        with_authority(
            |settings| settings.level = Some(level),
            |app, wire| {
                let world = World::new(app, &two_steps());
                let (id, certificate) = sealed_unproved(&world, wire, |_| {});
                let before = files(&world, id);
                for file in &before {
                    assert_eq!(level_of(app, wire, file), Some(SealLevel::Timestamp));
                }
                wire.authority.revoke(&certificate);
                assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
                let list = wire.authority.revocation_list();
                for (before, after) in before.iter().zip(files(&world, id)) {
                    assert!(after.starts_with(before));
                    assert_eq!(level_of(app, wire, &after), Some(level));
                    assert!(after.windows(list.len()).any(|window| window == list), "who says so");
                }
            },
        );
    }
}

/// Larger than what one file may take in, and smaller than what is fetched.
const TOO_LARGE: usize = 25 * 1024 * 1024;
const SMALL: usize = 2 * 1024 * 1024;

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
            // Stated is what was proved; that the authority's own list is the same issuer's is chance.
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
                    .seal(&company, &signed, &details, &app.proof_patience())
                    .expect("sealed");
                (sealed.level, sealed.bytes.len() < SMALL, sealed.timestamp_due)
            };
            let soon = app.now() + 10.minutes();
            assert_eq!(sealed(TOO_LARGE), (SealLevel::Archive, true, Some(soon)));
            // What was answered is used for a day.
            app.clock.advance(DAY + 1);
            let (level, is_small, due) = sealed(0);
            assert_eq!((level, is_small), (SealLevel::Archive, true));
            assert!(due > Some(app.now() + (200 * 24).hours()), "only the renewal: {due:?}");
        },
    );
}

/// All that is asked for one approval, for both its files, is waited for together: responders, lists, issuers, and those of
/// the time-stamp authority.
#[test]
fn silent_sources_together_are_waited_for_no_longer_than_the_settings_say() {
    const WAIT: Duration = Duration::from_secs(40);
    // Who is asked in the order in which it is: where a chain is known, a responder and then a list.
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
                    // Each is given half of what those before it left.
                    assert!(waited.windows(2).all(|pair| pair[1] == pair[0] / 2), "{waited:?}");
                    assert_eq!(level_of(app, wire, &files(&world, id)[0]), Some(SealLevel::Timestamp));
                },
            );
        }
    }
}

/// Revoked before its timestamp, which nobody said when the seal was made: nothing proves that good later.
#[test]
fn a_certificate_revoked_before_its_timestamp_never_gets_proofs() {
    for level in [SealLevel::LongTerm, SealLevel::Archive] {
        with_authority(
            |settings| settings.level = Some(level),
            |app, wire| {
                let world = World::new(app, &two_steps());
                let revoke = |certificate: &[u8]| {
                    wire.authority.revoke(certificate);
                    app.clock.advance(1);
                };
                let (id, _) = sealed_unproved(&world, wire, revoke);
                app.add_due_timestamps(10).expect("a run");
                for file in files(&world, id) {
                    let verdict = document::verify::verify(
                        &file,
                        &TrustedRoots::from_pem(&wire.authority.root_pem()).expect("roots"),
                        app.now(),
                    );
                    let level = verdict.signatures[0].level;
                    assert!(!verdict.holds() || level == Some(SealLevel::Timestamp), "{verdict:#?}");
                }
            },
        );
    }
}

/// Should anything make an extended file one in which the other side's signature is broken, nobody gets it.
#[test]
fn an_extended_document_that_does_not_verify_is_not_sealed() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            // Their seal locks the form: intake would not take it.
            let (signed, _) = signed_by_a_stranger(app, wire, None);
            let mut stored = app.template(&world.company, world.template).expect("it").stored;
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

/// Whatever makes a file one that does not verify: no file with a new timestamp takes its place.
#[test]
fn a_file_that_does_not_verify_gets_no_timestamp() {
    with_authority(
        |_| {},
        |app, wire| {
            let world = World::new(app, &two_steps());
            wire.is_cut.store(true, Ordering::SeqCst);
            let id = complete(&world);
            wire.is_cut.store(false, Ordering::SeqCst);
            let sound = files(&world, id)[0].clone();
            let unsound: Vec<u8> = [b"%PDF-1.6", sound.strip_prefix(b"%PDF-1.7").expect("its head")].concat();
            let put = |file: &[u8]| {
                app.clock.advance(11 * 60);
                let now = app.now();
                let due = app
                    .store
                    .read(move |tx| store::workflow::due_timestamps(tx, now, 1))
                    .expect("read")
                    .remove(0);
                let after = store::workflow::SealedDocument {
                    document: app.blobs.put(file).expect("kept"),
                    ..due.sealed
                };
                let is_put = app
                    .store
                    .write(move |tx| {
                        let held = &mut store::hold(tx, &due.company, due.workflow)?.expect("the workflow");
                        store::workflow::refer_to_blob(held, &due.company, due.workflow, after.document)?;
                        store::workflow::replace_sealed(held, &due.company, due.workflow, &due.sealed, &after)
                    })
                    .expect("written");
                assert!(is_put);
            };
            put(&unsound);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 0);
            assert_eq!(files(&world, id)[0], unsound, "it is as it was");
            put(&sound);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
            assert_eq!(level_of(app, wire, &files(&world, id)[0]), Some(SealLevel::Archive));
        },
    );
}

/// A file that somebody signed whose certificate is of the authority's root and names this list, and what a seal on it says.
fn signed_by_a_stranger(app: &TestApp, wire: &Wire, list: Option<&str>) -> (Vec<u8>, SealDetails) {
    let ends = app.now() + (900 * 24).hours();
    let (key, certificate) = wire.authority.certify_signer(ends, list, None);
    let stranger = SealKey::from_key(key, vec![certificate, wire.authority.root()]).expect("a key");
    let details = SealDetails {
        reason: "agreed".to_owned(),
        name: "Stranger".to_owned(),
        location: None,
        at: app.now(),
        certify: false,
        mark: None,
    };
    let signed = document::sealing::seal(crate::templates::pdf(), &stranger, &details).expect("signed");
    (signed, details)
}

/// What came with a file that others had signed proves nothing of the seal.
#[test]
fn validation_data_of_others_are_not_taken_for_the_seals() {
    with_authority(
        |settings| settings.level = Some(SealLevel::LongTerm),
        |app, wire| {
            let company = app.with_company("acme");
            let (signed, details) = signed_by_a_stranger(app, wire, None);
            let theirs = ValidationData {
                certificates: vec![wire.authority.root()],
                revocation_lists: vec![wire.authority.revocation_list()],
                ..ValidationData::default()
            };
            let signed = add_validation_data(&signed, &theirs).expect("with their data");
            let sealed = || {
                let patience = app.proof_patience();
                let sealed = app.seal(&company, &signed, &details, &patience).expect("sealed");
                let evidence = evidence(&sealed.bytes).expect("evidence");
                assert!(evidence.has_timestamp && evidence.held_bytes > 0);
                (sealed.level, evidence.has_validation_data)
            };
            wire.is_mute.store(true, Ordering::SeqCst);
            assert_eq!(sealed(), (SealLevel::Timestamp, false));
            wire.is_mute.store(false, Ordering::SeqCst);
            app.clock.advance(11 * 60);
            assert_eq!(sealed(), (SealLevel::LongTerm, true));
        },
    );
}

/// Sealed at B-B while the authority was down, and wanted at B-LT: the later timestamp's own proofs are in the file, too.
#[test]
fn a_file_upgraded_to_b_lt_holds_the_proofs_of_its_later_timestamp() {
    with_authority(
        |settings| settings.level = Some(SealLevel::LongTerm),
        |app, wire| {
            let world = World::new(app, &two_steps());
            wire.is_cut.store(true, Ordering::SeqCst);
            let id = complete(&world);
            wire.is_cut.store(false, Ordering::SeqCst);
            app.clock.advance(11 * 60);
            assert_eq!(app.add_due_timestamps(10).expect("a run"), 1);
            for file in files(&world, id) {
                let list = wire.authority.revocation_list();
                let has = |bytes: &[u8]| file.windows(bytes.len()).any(|window| window == bytes);
                assert!(
                    has(&wire.authority.certificate()) && has(&list),
                    "the authority's proofs"
                );
                assert_eq!(level_of(app, wire, &file), Some(SealLevel::LongTerm));
            }
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

        let old = app.seal_key_details(&company).expect("a key");
        let new = app
            .renew_seal_key(&company, KeyKind::EcdsaP256, Some(RevocationReason::KeyCompromise))
            .expect("renewed");
        assert_ne!(old.certificate, new.certificate);
        assert_eq!(app.seal_key_details(&company).expect("a key"), new);
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

/// Whoever verifies where the key was revoked learns of it, as long as no timestamp proves that the seal is older.
#[test]
fn the_seal_of_a_revoked_key_is_not_called_genuine_here() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = complete(&world);
        let [document, certificate] = files(&world, id);
        for file in [&document, &certificate] {
            let verdict = app.verdict(&Requester::unknown(), file).expect("a verdict");
            assert!(verdict.holds_strictly(), "{verdict:?}");
            // Whether the certificate is revoked is known: its issuer is this installation.
            let is_open = |note: &Note| matches!(note, Note::RevocationUnknown { .. });
            assert!(
                !verdict.signatures.iter().flat_map(|one| &one.notes).any(is_open),
                "{verdict:?}"
            );
        }
        app.clock.advance(60);
        app.renew_seal_key(
            &world.company,
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
                    "somebody else may have the key",
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
        // A seal of the new key stands, also days later, when the list was renewed.
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

/// The mark that a company may have on its documents: nowhere, on the last page, on every page.
#[test]
fn a_seal_leaves_a_mark_on_the_pages_where_the_company_wants_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (mark, pages) in [(SealMark::None, 0), (SealMark::LastPage, 1), (SealMark::EveryPage, 2)] {
            let change = CompanyChange {
                seal_mark: Some(mark),
                ..CompanyChange::default()
            };
            let changed = app.change_company(&world.company, &change).expect("changed");
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
        // The certificates live ten years.
        app.clock.advance(4000 * DAY);
        let unusable = app.prove_sealing().expect("it starts");
        assert_eq!(unusable[0].1.id(), "seal-certificate-expired");
    });
}

/// A key of a company's own, as OpenSSL packs it.
#[test]
fn a_company_brings_its_own_key() {
    on_both(|app| {
        let company = app.with_company("acme");
        let before = app.seal_key_details(&company).expect("a key");
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
            .import_seal_key(&company, &read("good.p12"), "wrong")
            .expect_err("the wrong password");
        assert!(
            refused.to_string().contains("NotSealable") || refused.to_string().contains("not-sealable"),
            "{refused}"
        );
        // OpenSSL's clock is the machine's: the certificate is not valid yet where the test lives.
        app.import_seal_key(&company, &read("good.p12"), "geheim")
            .expect_err("not in its time");
        assert_eq!(
            app.seal_key_details(&company).expect("a key"),
            before,
            "nothing changed"
        );
        app.clock.advance(3 * 365 * DAY);
        app.import_seal_key(&company, &read("bad.p12"), "geheim")
            .expect_err("not for signatures");
        let mut damaged = read("good.p12");
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        app.import_seal_key(&company, &damaged, "geheim").expect_err("damaged");
        let details = app
            .import_seal_key(&company, &read("good.p12"), "geheim")
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
