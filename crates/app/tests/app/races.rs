//! Tests pairs of transactions that depend on each other's changes, on PostgreSQL. The test holds a lock at which both
//! stop, and then releases them in the order of their arrival.

use app::{ConflictCode, CorrectRequest, DraftSeen, Error, LoginRefusal};
use domain::{CompanyId, RecipientId, Role};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::edits::statement;
use crate::support::{PASSWORD, TestApp, attempt};
use crate::world::{World, act, fields_of_first, id_of, key_of, keys_of, one_step_of_two, origin, texts, two_steps};

/// Runs `first` until it waits for the lock, then `second` until it waits too, and then releases both.
fn meet<A: Send, B: Send>(
    app: &TestApp,
    lock: &str,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let mut lock = app.database.lock(lock);
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        lock.wait_for(1);
        let second = scope.spawn(second);
        lock.wait_for(2);
        lock.release();
        (first.join().expect("no panic"), second.join().expect("no panic"))
    })
}

fn on_postgres() -> TestApp {
    TestApp::new(TestDatabase::postgres())
}

fn conflict<T: std::fmt::Debug>(result: Result<T, Error>) -> ConflictCode {
    match result {
        Err(Error::Conflict { code, .. }) => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_last_two_owners_are_not_disabled_at_once() {
    let app = on_postgres();
    let company = app.with_company("acme");
    app.with_member(&company, "other@example.com", Role::Owner);
    let (first, second) = meet(
        &app,
        "SELECT id FROM member FOR UPDATE",
        || app.disable_member(&operator(&app, &company), "owner@example.com"),
        || app.disable_member(&operator(&app, &company), "other@example.com"),
    );
    assert!(first.expect("the first one goes"));
    assert_eq!(conflict(second), ConflictCode::LastOwner);
    let left = app.members(&operator(&app, &company)).expect("members");
    assert_eq!(left.iter().filter(|member| member.disabled_at.is_none()).count(), 1);
}

#[test]
fn two_writers_of_one_step_are_seen_at_the_same_moment_and_the_chain_tells_of_both() {
    let app = on_postgres();
    let world = World::new(&app, &one_step_of_two());
    let keys = keys_of(&world.start(world.request_of_three()));
    let (first, second) = meet(
        &app,
        "SELECT id FROM workflow FOR NO KEY UPDATE",
        || app.record_viewed(&keys[0], &origin()),
        || app.record_viewed(&keys[1], &origin()),
    );
    first.expect("seen by the first");
    second.expect("seen by the second");
    let view = app.open_signing(&keys[0]).expect("a page");
    assert!(view.writers_at_turn.iter().all(|writer| writer.viewed));
    assert!(app.audit_verify().expect("a report").is_clean());
}

#[test]
fn consent_through_a_link_that_is_replaced_at_that_moment_is_not_the_new_writers() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let started = world.start(world.request());
    let old = key_of(started.sign_url.as_deref().expect("embedded"));
    let right = CorrectRequest {
        email: Some("kim2@example.com".to_owned()),
        ..CorrectRequest::default()
    };
    let (corrected, consent) = meet(
        &app,
        "SELECT id FROM recipient FOR UPDATE",
        || app.correct_recipient(&world.caller, id_of(&started), 1, &right, &origin()),
        || app.give_consent(&old, "동의합니다", &origin()),
    );
    corrected.expect("corrected");
    assert_eq!(conflict(consent), ConflictCode::LinkReplaced);
    let view = app.open_signing(&world.playing_key(id_of(&started))).expect("a page");
    assert!(view.must_consent, "the new writer has not agreed to anything");
    assert!(!view.recipient.expect("a writer").consented);
}

/// Actions of the previous person during a correction are not recorded for the new one: neither a code that they tried
/// nor a file that they downloaded.
#[test]
fn what_an_earlier_person_does_while_they_are_replaced_is_not_recorded_for_the_next_one() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let mut request = world.request();
    request.recipients[0].password = Some("850101".to_owned());
    let started = world.start(request);
    let id = id_of(&started);
    let old = || key_of(&app.workflow(&world.caller, id).expect("a workflow").playing_url);
    let correct = |email: &str| {
        let right = CorrectRequest {
            email: Some(email.to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 1, &right, &origin())
    };
    let lock = "SELECT id FROM workflow FOR UPDATE";
    let key = old();
    let (corrected, tried) = meet(
        &app,
        lock,
        || correct("kim2@example.com"),
        || app.give_access_code(&key, "wrong", &origin()),
    );
    corrected.expect("corrected");
    assert_eq!(conflict(tried), ConflictCode::LinkReplaced);

    let mut key = old();
    key.proof = Some(app.give_access_code(&key, "850101", &origin()).expect("the right code"));
    let (corrected, taken) = meet(
        &app,
        lock,
        || correct("kim3@example.com"),
        || app.signing_original(&key, Some(&origin())).map(|file| file.bytes.len()),
    );
    corrected.expect("corrected");
    assert_eq!(conflict(taken), ConflictCode::LinkReplaced);
    let history = app.workflow(&world.caller, id).expect("a workflow").history;
    let events: Vec<&str> = history.iter().map(|entry| entry.event).collect();
    assert_eq!(
        events,
        [
            "started",
            "recipient_corrected",
            "identity_checked",
            "recipient_corrected"
        ]
    );
}

/// Every write for a signer locks the workflow before the signer's row, as a correction does. A deadlock would be
/// detected when the test database is dropped ([`TestDatabase`]).
#[test]
fn nothing_that_a_signer_does_waits_for_a_correction_that_waits_for_it() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let acts: [&(dyn Fn(&app::SigningKey) + Sync); 4] = [
        &|key| drop(app.give_access_code(key, "wrong", &origin())),
        &|key| drop(app.record_viewed(key, &origin())),
        &|key| drop(app.give_consent(key, "동의합니다", &origin())),
        &|key| drop(app.fill_in(key, &texts(&[("성명", "김민준")]))),
    ];
    for (number, act) in acts.into_iter().enumerate() {
        let mut request = world.request();
        request.recipients[0].password = (number == 0).then(|| "850101".to_owned());
        let started = world.start(request);
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        let right = CorrectRequest {
            email: Some("kim2@example.com".to_owned()),
            ..CorrectRequest::default()
        };
        // A write that changed the signer's row first would hold its lock when the correction needs it.
        let (corrected, ()) = meet(
            &app,
            "SELECT id FROM workflow FOR NO KEY UPDATE",
            || app.correct_recipient(&world.caller, id_of(&started), 1, &right, &origin()),
            || act(&key),
        );
        corrected.expect("corrected");
    }
}

#[test]
fn a_draft_saved_while_its_writer_approves_is_not_left_behind() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let started = world.start(world.request());
    let key = key_of(started.sign_url.as_deref().expect("embedded"));
    let writer = app.open_signing(&key).expect("a page").recipient.expect("a writer").id;
    let (approved, saved) = meet(
        &app,
        "SELECT id FROM recipient FOR UPDATE",
        || world.approve(id_of(&started), act(fields_of_first())),
        || app.fill_in(&key, &texts(&[("성명", "늦은 글")])),
    );
    approved.expect("approved");
    assert_eq!(conflict(saved), ConflictCode::AlreadyApproved);
    assert_eq!(draft(&app, &world, writer), None);
}

/// If a signer saves on one page while they approve on another, either the draft or the approval is refused.
#[test]
fn an_approval_that_meets_a_draft_signs_what_its_page_shows() {
    let app = on_postgres();
    let world = World::new(&app, &one_step_of_two());
    let started = world.start(world.request_of_three());
    let key = keys_of(&started)[0].clone();
    let save = |text| {
        app.save_draft(&key, &DraftSeen::default(), &texts(&[("a", text)]))
            .map(|saved| saved.revision)
    };
    let approve = |revision| app.approve_by_link(&key, revision, &texts(&[]), None, &origin());
    let seen = save("100").expect("a draft");
    let (saved, refused) = meet(
        &app,
        "SELECT id FROM recipient FOR UPDATE",
        || save("200"),
        || approve(seen),
    );
    assert_eq!(saved.expect("saved"), seen + 1);
    assert_eq!(conflict(refused), ConflictCode::DraftChanged);
    let view = app.open_signing(&key).expect("still their turn");
    assert_eq!(view.draft.revision, seen + 1);

    let (approved, late) = meet(
        &app,
        "SELECT id FROM recipient FOR UPDATE",
        || approve(seen + 1),
        || save("300"),
    );
    approved.expect("what it shows is the draft");
    assert_eq!(conflict(late), ConflictCode::AlreadyApproved);
    let kept = world.values(id_of(&started));
    assert!(kept.contains(&("a".to_owned(), "200".to_owned())), "{kept:?}");
}

fn draft(app: &TestApp, world: &World<'_>, writer: RecipientId) -> Option<String> {
    let company = world.company.clone();
    app.store
        .read(move |tx| store::workflow_value::draft(tx, &company, writer))
        .expect("the draft can be read")
}

fn change_password(app: &TestApp, company: &CompanyId) {
    app.set_member_password(
        &operator(app, company),
        "owner@example.com",
        Some("quite another lantern 47".to_owned()),
    )
    .expect("changed");
}

/// Anything issued before the change was visible is invalid at once. Otherwise it was refused as wrong.
fn gives_nothing<T>(issued: Result<T, LoginRefusal>, used: impl FnOnce(T) -> Result<(), Error>) {
    match issued.map(used) {
        Ok(Err(Error::Unauthenticated)) | Err(LoginRefusal::WrongCredentials) => {}
        Ok(other) => panic!("{other:?}"),
        Err(refusal) => panic!("{refusal:?}"),
    }
}

const TOKENS: &str = "LOCK TABLE access_token IN EXCLUSIVE MODE";

#[test]
fn a_password_changed_while_the_old_one_is_verified_leaves_no_token() {
    let app = on_postgres();
    let company = app.with_company("acme");
    let log_in = || app.login(&attempt("acme", "owner@example.com", PASSWORD));
    let (answer, ()) = meet(&app, TOKENS, log_in, || change_password(&app, &company));
    gives_nothing(answer, |login| app.authenticate(login.access_token.expose()).map(drop));
    let tokens = app.tokens(&operator(&app, &company)).expect("tokens");
    assert!(tokens.iter().all(|token| token.revoked_at.is_some()), "{tokens:?}");
}

#[test]
fn a_password_changed_while_the_old_one_is_verified_leaves_no_session() {
    let app = on_postgres();
    let company = app.with_company("acme");
    let sessions = "LOCK TABLE member_session IN EXCLUSIVE MODE";
    let sign_in = || app.sign_in(&attempt("acme", "owner@example.com", PASSWORD), None);
    let (signed_in, ()) = meet(&app, sessions, sign_in, || change_password(&app, &company));
    gives_nothing(signed_in, |signed_in| app.session(signed_in.cookie.expose()).map(drop));
}

#[test]
fn an_account_disabled_while_its_password_is_verified_gets_no_token() {
    let app = on_postgres();
    let company = app.with_company("acme");
    app.with_member(&company, "other@example.com", Role::Sender);
    let log_in = || app.login(&attempt("acme", "other@example.com", PASSWORD));
    let disable = || app.disable_member(&operator(&app, &company), "other@example.com");
    let (answer, disabled) = meet(&app, TOKENS, log_in, disable);
    assert!(disabled.expect("disabled"));
    gives_nothing(answer, |login| app.authenticate(login.access_token.expose()).map(drop));
}

#[test]
fn new_fields_do_not_bring_back_the_pdf_that_another_replaces_at_that_moment() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let fields = two_steps().to_string();
    let mut pdf = crate::templates::pdf();
    pdf.extend_from_slice(b"% another\n");
    let import = app::ImportTemplate {
        pdf: &pdf,
        fields: fields.as_bytes(),
    };
    let (first, second) = meet(
        &app,
        "SELECT id FROM template FOR UPDATE",
        || app.replace_template(&operator(&app, &world.company), world.template, &import),
        || app.change_template_fields(&operator(&app, &world.company), world.template, fields.as_bytes()),
    );
    assert_eq!(first.expect("the new PDF").version, 2);
    assert_eq!(conflict(second), ConflictCode::Changed);
    let current = app
        .template(&operator(&app, &world.company), world.template)
        .expect("it")
        .stored;
    assert_eq!(current.original, domain::BlobHash::of(&pdf));
}

/// A transaction that waits for a workflow's row has not locked any of its deliveries yet, so the holder of the
/// workflow never waits for it.
#[test]
fn deliveries_are_locked_after_their_workflow() {
    let app = on_postgres();
    let world = World::new(&app, &two_steps());
    let mut request = world.request();
    request.export = None;
    world.start(request);
    let delivered = statement("UPDATE outbox SET state = 'delivered', finished_at = created_at".to_owned());
    app.store
        .write(move |tx| tx.execute(delivered, &[]))
        .expect("delivered");
    let events = statement("SELECT event_id FROM outbox WHERE kind = 'mail'".to_owned());
    let rows = app.store.read(move |tx| tx.query(events, &[])).expect("the outbox");
    let event: String = rows.first().expect("a mail").get("event_id").expect("a text");
    let while_the_workflow_is_locked = |work: &(dyn Fn() + Sync)| {
        let mut lock = app.database.lock("SELECT id FROM workflow FOR UPDATE");
        std::thread::scope(|scope| {
            let working = scope.spawn(work);
            lock.wait_for(1);
            app.database.lock("SELECT id FROM outbox FOR UPDATE NOWAIT").release();
            lock.release();
            working.join().expect("no panic");
        });
    };
    while_the_workflow_is_locked(&|| {
        assert_eq!(app.note_deliveries(app.now(), None, 100).expect("noted"), None);
    });
    while_the_workflow_is_locked(&|| {
        assert!(app.mail_came_back(&event, Some(550), "550 unknown").expect("recorded"));
    });
    assert!(app.audit_verify().expect("a report").is_clean());
}
