//! Tests timestamps that are added and renewed later, and seals while the authority does not respond.

use std::sync::atomic::Ordering;
use std::time::Duration;

use app::{Error, Stage};
use document::pki::keys::SealKey;
use document::sealing::SealDetails;
use document::sealing::validation_data::{ValidationData, add_validation_data, evidence};
use document::verify::TrustedRoots;
use domain::{BlobHash, EventKind, SealLevel, Status, WhenTsaIsDown, WorkflowId};
use jiff::ToSpan;
use testkit::operator::operator;
use testkit::time_stamp_authority::Fault;

use crate::sealing_world::{DAY, Wire, complete, events, files, with_authority, with_own_certificate};
use crate::support::{TestApp, on_both};
use crate::world::{World, act, fields_of_first, given, id_of, key_of, origin, texts, two_steps};

/// Starts a workflow and brings it to the last signer.
pub fn before_the_last(world: &World<'_>) -> WorkflowId {
    let id = id_of(&world.start(world.request()));
    world.approve(id, act(fields_of_first())).expect("the first approval");
    id
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
            // One fetch is enough for all four timestamps.
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

/// Returns the level of a file according to `verify`, with our root and the authority's root trusted.
pub fn level_of(app: &TestApp, wire: &Wire, pdf: &[u8]) -> Option<SealLevel> {
    let pem = app.root_certificate().expect("a root") + &wire.authority.root_pem();
    let roots = TrustedRoots::from_pem(&pem).expect("roots");
    let verdict = document::verify::verify(pdf, &roots, app.now());
    assert!(verdict.faults.is_empty(), "{verdict:?}");
    for signature in &verdict.signatures {
        assert!(signature.faults.is_empty(), "{signature:?}");
    }
    verdict.signatures.first().and_then(|signature| signature.level)
}

/// A timestamp that is too large for the seal does not fail an approval. It is added as a document timestamp.
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

/// If the sources that prove the authority's certificate do not respond, the seal keeps its timestamp and gets the
/// proofs later.
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
                // One request for both files and four timestamps, because an unresponsive source is not queried again
                // at once.
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

/// The file contains the proofs for the signer and the first timestamps. Years later, their sources may be gone, or the
/// certificates may be revoked because they were replaced. The archive can still be renewed.
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

/// A renewal must prove the certificate of the newest timestamp. Until that succeeds, it is retried.
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

/// Creates a document that was sealed while the revocation status of its certificate was unavailable, with an action
/// before the seal. An hour later the status is available. Returns the certificate.
fn sealed_unproved(world: &World<'_>, wire: &Wire, before_the_seal: impl FnOnce(&[u8])) -> (WorkflowId, Vec<u8>) {
    let certificate = with_own_certificate(world.app, wire, &world.company);
    let id = before_the_last(world);
    // Makes the responses from the start stale.
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

/// The certificate is revoked after its timestamp, before proofs were available. The seal is older than the revocation,
/// and the embedded list shows it (ETSI EN 319 102-1, 5.5.4).
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

/// The certificate was revoked before its timestamp, but no source reported that at the time of sealing. So no later
/// proof exists.
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

/// If a new timestamp makes a file fail to verify, the old file is kept.
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

/// Creates a file that a stranger signed with a certificate from the authority's root, which names this list. Also
/// returns the state of a seal on it.
pub fn signed_by_a_stranger(app: &TestApp, wire: &Wire, list: Option<&str>) -> (Vec<u8>, SealDetails) {
    let ends = app.now() + (900 * 24).hours();
    let (key, certificate) = wire.authority.certify_signer(ends, list, None);
    let stranger = SealKey::from_key(key, vec![certificate, wire.authority.root()]).expect("a key");
    let details = SealDetails {
        reason: "agreed".to_owned(),
        name: "Stranger".to_owned(),
        location: None,
        at: app.now(),
        certify: false,
        is_test: false,
        mark: None,
    };
    let signed = document::sealing::seal(crate::templates::pdf(), &stranger, &details).expect("signed");
    (signed, details)
}

/// Validation data in a file that others had signed proves nothing about the seal.
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
                let sealed = app
                    .seal_file(&operator(app, &company), &signed, &details, &patience)
                    .expect("sealed");
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

/// A file sealed at B-B while the authority was down and upgraded to B-LT also contains the proofs of its later
/// timestamp.
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
