//! Tests chains of both formats, and heads that require the master key.

use domain::{ChainFormat, CompanyId, Entry, Event, EventKind, Head, WorkflowId, chain::verify};
use store::check::FaultKind;
use store::values;

use crate::check::{completed, faults};
use crate::support::{TestApp, on_both};
use crate::world::{World, act, fields_of_first, given, id_of, origin, two_steps};

mod sql {
    store::statements! {
        pub static REWRITE = "UPDATE audit_entry SET payload = $3, texts = $4, previous = $5, hash = $6 \
             WHERE workflow_id = $1 AND sequence = $2";
        pub static SET_HEAD = "UPDATE workflow SET chain_format = $2, chain_hash = $3 WHERE id = $1";
        pub static FORGET_CODE = "UPDATE workflow SET chain_code = NULL WHERE id = $1";
    }
}

fn entries(app: &TestApp, company: &CompanyId, id: WorkflowId) -> Vec<Entry> {
    let company = company.clone();
    app.store
        .read(move |tx| store::audit::load(tx, &company, id))
        .expect("the chain")
}

/// Rewrites a workflow's chain as an attacker with access to only the database could: the hashes match, but the head's
/// code does not.
pub(crate) fn rewrite(
    app: &TestApp,
    company: &CompanyId,
    id: WorkflowId,
    format: ChainFormat,
    change: impl Fn(&mut Event),
) {
    let mut head = Head::genesis_of(format, company, id);
    let mut rewritten = Vec::new();
    for entry in entries(app, company, id) {
        let mut event = entry.event().expect("an event");
        change(&mut event);
        let (entry, next) = head.append(&event, app.random.as_ref());
        rewritten.push(entry);
        head = next;
    }
    app.store
        .write(move |tx| {
            for entry in &rewritten {
                let texts = serde_json::to_string(&entry.texts).expect("JSON");
                let texts = (!entry.texts.is_empty()).then_some(texts);
                let sequence = i64::try_from(entry.sequence).expect("a small number");
                tx.execute_one(
                    &sql::REWRITE,
                    values![id, sequence, &entry.payload, texts, entry.previous, entry.hash],
                )?;
            }
            tx.execute_one(&sql::SET_HEAD, values![id, i64::from(format.number()), head.hash])
        })
        .expect("rewritten");
}

/// Converts a workflow into one from an earlier version.
pub(crate) fn of_an_earlier_version(app: &TestApp, company: &CompanyId, id: WorkflowId) {
    let whose = company.clone();
    let values = app
        .store
        .read(move |tx| store::workflow_value::load(tx, &whose, id))
        .expect("the values");
    rewrite(app, company, id, ChainFormat::One, |event| match &mut event.event {
        EventKind::Started { terms, .. } => *terms = None,
        EventKind::ValueWritten { field, hash, .. } => {
            if let Some(stored) = values.get(field) {
                *hash = stored.value.salted_hash(&stored.salt, ChainFormat::One);
            }
        }
        _ => {}
    });
    app.store
        .write(move |tx| tx.execute_one(&sql::FORGET_CODE, values![id]))
        .expect("forgotten");
}

#[test]
fn what_is_hashed_contains_no_personal_text() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = completed(&world);
        let entries = entries(app, &world.company, id);
        let view = app.workflow(&world.caller, id).expect("the workflow");
        let mut texts = vec!["192.0.2.7".to_owned(), view.workflow_name];
        texts.extend(view.steps.into_iter().flat_map(|step| [step.name, step.email]));
        for text in texts {
            assert!(
                entries
                    .iter()
                    .any(|entry| entry.texts.iter().any(|clear| clear.text == text)),
                "{text}"
            );
            assert!(!entries.iter().any(|entry| entry.payload.contains(&text)), "{text}");
        }
        let genesis = Head::genesis(&world.company, id);
        assert_eq!(
            verify(genesis, &entries).map(|head| head.sequence),
            Ok(entries.len() as u64)
        );
    });
}

#[test]
fn a_chain_of_format_one_goes_on_in_its_format_and_its_head_is_keyed_on_first_use() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let company = &world.company;
        let id = id_of(&world.start(world.request()));
        of_an_earlier_version(app, company, id);
        let report = app.audit_verify().expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.without_code, 1);

        world.approve(id, act(fields_of_first())).expect("the first approval");
        world
            .approve(id, act(vec![given("pay", "3000000")]))
            .expect("the last approval");
        let report = app.audit_verify().expect("a report");
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.without_code, 0);
        let entries = entries(app, company, id);
        assert!(entries.iter().all(|entry| entry.texts.is_empty()), "{entries:?}");
        assert!(entries.iter().any(|entry| entry.payload.contains("192.0.2.7")));
        let genesis = Head::genesis_of(ChainFormat::One, company, id);
        assert!(verify(genesis, &entries).is_ok());
        assert!(verify(Head::genesis(company, id), &entries).is_err());
    });
}

#[test]
fn a_chain_that_was_recomputed_without_the_master_key_is_found_and_stays_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        completed(&world);
        let id = completed(&world);
        assert_eq!(faults(app), []);
        rewrite(app, &world.company, id, ChainFormat::Two, |event| {
            if let Some(address) = &mut event.actor.address {
                *address = "198.51.100.1".into();
            }
        });
        assert_eq!(faults(app), [(id, FaultKind::HeadCode)]);
        // Later entries do not make a forged head valid.
        app.document(&world.caller, id, &origin()).expect("a download");
        assert_eq!(faults(app), [(id, FaultKind::HeadCode)]);
    });
}
