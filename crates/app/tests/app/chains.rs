//! Tests the content of the audit trail, and how manipulations are detected.

use domain::WorkflowId;
use jiff::SignedDuration;
use store::outbox;
use store::outbox::{Outcome, Try};
use testkit::deliveries::claim_due;

use crate::support::on_both;
use crate::world::{World, act, fields_of_first, given, id_of, sql, two_steps};

#[test]
fn what_broke_the_chain_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        world.approve(id, act(fields_of_first())).expect("an approval");
        app.store
            .write(move |tx| tx.execute(&sql::TAMPER, store::values![id.get()]))
            .expect("an edit behind the program's back");
        let report = app.audit_verify().expect("a report");
        assert_eq!(report.faults.len(), 1);
        assert_eq!(report.faults[0].workflow, id);
    });
}

#[test]
fn a_delivery_is_recorded_in_the_audit_trail_once() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        world.approve(id, act(fields_of_first())).expect("approved");
        let now = app.now();
        let event_id = app
            .store
            .write_relaxed(move |tx| {
                let claimed = claim_due(tx, "lease", "owner", now, 10)?;
                let mut webhooks = claimed.into_iter().filter(|delivery| !delivery.lane().is_of_messages());
                let webhook = webhooks.next().expect("a webhook");
                let made = Try {
                    at: now,
                    duration: 1,
                    code: Some(200),
                    fault: None,
                    answer: String::new(),
                };
                outbox::finish(tx, &webhook, &made, Outcome::Delivered, now)?;
                Ok::<_, store::Error>(webhook.event_id)
            })
            .expect("delivered");
        let a_second_before = now - SignedDuration::from_secs(1);
        app.note_deliveries(a_second_before, None, 10).expect("nothing yet");
        let told = || {
            let shown = app.workflow(&world.caller, id).expect("the workflow");
            shown.history.iter().filter(|entry| entry.event == "delivered").count()
        };
        assert_eq!(told(), 0);
        let next = app.note_deliveries(now, None, 1).expect("told");
        assert_eq!(
            (told(), next.map(|(at, _)| at)),
            (1, Some(now)),
            "it was as many as may be"
        );
        assert_eq!(app.note_deliveries(now, None, 1).expect("told before"), None);
        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(
            shown.history.iter().filter(|entry| entry.event == "delivered").count(),
            1
        );
        assert!(app.audit_verify().expect("a report").is_clean());
        let rows = app
            .store
            .read(move |tx| tx.query(&sql::WEBHOOKS, store::values![id.get()]))
            .expect("the outbox");
        let ids: Vec<String> = rows.iter().map(|row| row.get("event_id").expect("an id")).collect();
        assert_eq!(ids, [event_id]);
    });
}

#[test]
fn a_chain_that_cannot_be_extended_delays_no_other() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let ids: Vec<WorkflowId> = (0..3)
            .map(|_| {
                let id = id_of(&world.start(world.request()));
                world.approve(id, act(fields_of_first())).expect("approved");
                id
            })
            .collect();
        let now = app.now();
        app.store
            .write_relaxed(move |tx| {
                for claimed in claim_due(tx, "lease", "owner", now, 10)? {
                    if claimed.lane().is_of_messages() {
                        continue;
                    }
                    let made = Try {
                        at: now,
                        duration: 1,
                        code: Some(200),
                        fault: None,
                        answer: String::new(),
                    };
                    outbox::finish(tx, &claimed, &made, Outcome::Delivered, now)?;
                }
                Ok::<_, store::Error>(())
            })
            .expect("delivered");
        let told = || {
            let of = |id: &WorkflowId| {
                let shown = app.workflow(&world.caller, *id).expect("the workflow");
                shown.history.iter().filter(|entry| entry.event == "delivered").count()
            };
            ids.iter().map(of).collect::<Vec<_>>()
        };
        let broken = ids[1].get();
        // The next entry of this chain would have an existing number.
        let move_head = move |by: i64| {
            app.store
                .write(move |tx| tx.execute(&sql::MOVE_HEAD, store::values![broken, by]))
                .expect("moved");
        };
        move_head(-1);
        assert_eq!(app.note_deliveries(now, None, 10).expect("the others are told"), None);
        move_head(1);
        assert_eq!(told(), [1, 0, 1]);
        for _ in 0..2 {
            app.note_deliveries(now, None, 10).expect("the rest");
            assert_eq!(told(), [1, 1, 1], "each once");
        }
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn a_removed_value_is_recorded_in_the_audit_trail() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("day", "2026-01-02")];
        let id = id_of(&world.start(request));
        let mut fields = fields_of_first();
        fields.push(given("day", ""));
        world.approve(id, act(fields)).expect("an approval");
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert!(seen.field_list.iter().all(|field| field.name != "day"));
        let told = seen
            .history
            .iter()
            .filter(|entry| entry.event == "value_removed" && entry.field.as_deref() == Some("day"));
        assert_eq!(told.count(), 1);
    });
}
