//! A backlog for a dead receiver or a stopped endpoint does not slow others down, however large it is.

use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;
use serde_json::json;
use store::outbox::{self, Claim, DueLane, Lane, NewChannel, NewDelivery, Outcome, PORTION, StopReason, Try};
use store::sql::delivery as sql;
use store::{Store, values};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;

testkit::on_both_databases!(
    a_claim_does_not_walk_what_waits_for_a_dead_receiver,
    a_backlog_is_held_and_let_go_in_portions,
    an_endpoint_that_stops_again_while_it_is_released_keeps_the_rest,
    what_was_met_for_an_endpoint_that_is_on_again_is_due_at_once,
    what_receivers_took_is_recorded_together_but_for_whose_lease_was_lost,
);

store::statements! {
    /// Creates a backlog for one endpoint.
    pub static FILL =
        sqlite "INSERT INTO outbox (company_id, workflow_id, event_id, kind, receiver, url, client_id, body, state, \
                created_at, due_at) \
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1) \
            SELECT 'acme', n, 'backlog ' || n, 'webhook', $2, $3, '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', X'00', 'waiting', \
                $4, $4 + n FROM number",
        postgres "INSERT INTO outbox (company_id, workflow_id, event_id, kind, receiver, url, client_id, body, state, \
                created_at, due_at) \
            SELECT 'acme', n, 'backlog ' || n, 'webhook', $2, $3, '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', CAST('x' AS BYTEA), \
                'waiting', CAST($4 AS BIGINT), CAST($4 AS BIGINT) + n FROM generate_series(1, $1) AS number (n)";

    /// Updates the database's statistics about the table.
    pub static ANALYZE = "ANALYZE outbox";

    /// The number of deliveries in a state.
    pub static IN_STATE = "SELECT count(*) AS found FROM outbox WHERE state = $1";
}

const URL: &str = "https://dead.example.com/hook";

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

fn acme(store: &Store) -> CompanyId {
    let id = CompanyId::parse("acme").expect("an id");
    let row = testkit::rows::company(&id, at(0));
    store
        .write(move |tx| store::company::insert(tx, &row))
        .expect("a company");
    id
}

/// Adds `count` deliveries for the dead receiver. The first is due at 0.
fn fill(store: &Store, count: u32) {
    store
        .write(move |tx| {
            tx.execute(&FILL, values![i64::from(count), "dead.example.com", URL, at(0)])?;
            tx.execute(&ANALYZE, &[])
        })
        .expect("a backlog");
}

fn in_state(store: &Store, state: &'static str) -> u32 {
    let found = store.read_one(move |tx| tx.query_one(&IN_STATE, values![state])?.get("found"));
    found.expect("a count")
}

fn good(company: &CompanyId) -> NewDelivery {
    NewDelivery {
        company: company.clone(),
        workflow: Some(WorkflowId(9_000_000)),
        event_id: "good".to_owned(),
        channel: NewChannel::Webhook {
            url: "https://good.example.com/hook".to_owned(),
            client: ClientId::parse("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10").expect("a UUID"),
            authorization: None,
        },
        body: vec![7; 100],
        created_at: at(500),
    }
}

/// Returns the lines of a plan that read a whole table. A scan of the covering index stops at its first row.
fn walks(plan: &[String]) -> Vec<&String> {
    let is_walk = |line: &&String| line.contains("Seq Scan on outbox") || line.starts_with("SCAN ");
    let is_list = |line: &&String| {
        ["lane", "json_each", "(subquery", "found", "e", "given"]
            .iter()
            .any(|list| line.strip_prefix("SCAN ").is_some_and(|rest| rest.starts_with(list)))
    };
    plan.iter()
        .filter(is_walk)
        .filter(|line| !is_list(line) && !line.ends_with("COVERING INDEX outbox_lane"))
        .collect()
}

fn a_claim_does_not_walk_what_waits_for_a_dead_receiver(database: &TestDatabase) {
    let store = database.open();
    let company = acme(&store);
    fill(&store, 100_000);
    let new = good(&company);
    store
        .write(move |tx| outbox::enqueue(tx, &new))
        .expect("one behind them");

    let now = at(1_000);
    let lanes = store.read_one(move |tx| outbox::due_lanes(tx, now)).expect("the lanes");
    let lane = |receiver: &str| Lane {
        receiver: receiver.to_owned(),
        company: company.clone(),
    };
    let due = |receiver: &str| DueLane {
        lane: lane(receiver),
        has_failed: false,
    };
    assert_eq!(lanes, [due("dead.example.com"), due("good.example.com")]);
    let claim = Claim {
        lease: "lease".to_owned(),
        owner: "owner".to_owned(),
        now,
        until: at(1_090),
        lanes: vec![(lane("dead.example.com"), 2), (lane("good.example.com"), 16)],
    };
    let taken = store
        .write_one_relaxed(move |tx| outbox::claim(tx, &claim))
        .expect("a claim");
    let ids: Vec<_> = taken.claimed.iter().map(|claimed| claimed.event_id.as_str()).collect();
    assert_eq!(ids, ["backlog 1", "backlog 2", "good"]);

    // An index leads to the first delivery of each lane, and to the first few of those lanes that have room.
    let asked = json!([{"kind": "lane", "receiver": "good.example.com", "company": "acme", "room": 16}]).to_string();
    let looks = store.plan(&sql::DUE_LANES, values![now]).expect("a plan");
    let parameters = values!["lease", "owner", at(1_090), now, asked, 16];
    let claiming = store.plan(&sql::CLAIM, parameters).expect("a plan");
    let expected: [(&[String], &[&str]); 2] = if database.url().is_some() {
        [
            (&looks, &["Index Cond: (ROW(receiver, company_id) > ROW("]),
            (
                &claiming,
                &["Index Cond: ((receiver = given.receiver) AND (company_id = given.company) AND (due_at <="],
            ),
        ]
    } else {
        [
            (
                &looks,
                &[
                    "SCAN n USING COVERING INDEX outbox_lane",
                    "SEARCH n USING COVERING INDEX outbox_lane (receiver=? AND company_id>?)",
                    "SEARCH n USING COVERING INDEX outbox_lane (receiver>?)",
                ],
            ),
            (
                &claiming,
                &["SEARCH w USING INDEX outbox_lane (receiver=? AND company_id=? AND due_at<?)"],
            ),
        ]
    };
    for (plan, parts) in expected {
        let text = plan.join("\n");
        for part in parts {
            assert!(text.contains(part), "{text}");
        }
        assert!(walks(plan).is_empty(), "{text}");
    }
}

fn a_backlog_is_held_and_let_go_in_portions(database: &TestDatabase) {
    let store = database.open();
    let company = acme(&store);
    let (all, portion) = (PORTION * 5 / 2, u64::from(PORTION));
    fill(&store, all);
    let of = company.clone();
    let held = store.write(move |tx| outbox::pause_endpoint(tx, &of, URL, at(10)));
    assert_eq!(
        held.expect("paused"),
        Some(u64::from(all)),
        "all that is kept back is told"
    );
    assert_eq!(in_state(&store, "held"), PORTION);

    // A claim holds the deliveries it finds, and a portion of the rest. Nothing is sent.
    let mut claims = 0;
    while in_state(&store, "waiting") > 0 {
        let taken = store.write_relaxed(move |tx| {
            let lanes = outbox::due_lanes(tx, at(100_000))?;
            let claim = Claim {
                lease: format!("lease {claims}"),
                owner: "owner".to_owned(),
                now: at(100_000),
                until: at(100_090),
                lanes: lanes.into_iter().map(|due| (due.lane, 4)).collect(),
            };
            outbox::claim(tx, &claim)
        });
        let taken = taken.expect("a claim");
        assert!(taken.claimed.is_empty(), "nothing goes to a stopped endpoint");
        for ((of, url), met) in taken.stopped {
            let count = met.len() as u64;
            assert!((1..=4).contains(&count), "{count}");
            let lease = format!("lease {claims}");
            let held = store
                .write(move |tx| outbox::hold_claimed(tx, (&of, &url), &met, &lease, at(100_000)))
                .expect("held");
            assert!((count..=count + portion).contains(&held), "{held}");
        }
        claims += 1;
    }
    assert_eq!((claims, in_state(&store, "held")), (2, all));

    let of = company.clone();
    let released = store.write(move |tx| outbox::start_endpoint(tx, &of, URL, at(200_000)));
    assert_eq!(released.expect("on"), Some(u64::from(all)));
    assert_eq!(in_state(&store, "waiting"), PORTION);
    let mut portions = Vec::new();
    while let Some((of, url)) = store.read_one(outbox::letting_go).expect("an endpoint") {
        let released = store.write(move |tx| outbox::let_go(tx, &of, &url, at(200_001)));
        portions.push(released.expect("let go"));
    }
    assert_eq!(portions, [portion, portion / 2]);
    assert_eq!((in_state(&store, "held"), in_state(&store, "waiting")), (0, all));
    let left = store
        .read(move |tx| outbox::endpoints(tx, &company, "", 100))
        .expect("endpoints");
    assert_eq!(left, [], "it is as one that never failed");
}

fn what_receivers_took_is_recorded_together_but_for_whose_lease_was_lost(database: &TestDatabase) {
    let store = database.open();
    let company = acme(&store);
    fill(&store, 4);
    let made = |code: u16| Try {
        at: at(1_000),
        duration: 7,
        code: Some(code),
        fault: None,
        answer: "제 답".to_owned(),
    };
    let claimed = store
        .write_relaxed(move |tx| {
            let mut claimed = claim_due(tx, "lease", "owner", at(1_000), 4)?;
            // The endpoint fails, and one of the other deliveries is released.
            let failed = claimed.remove(0);
            outbox::finish(tx, &failed, &made(500), Outcome::Retry(at(9_000)), at(1_000))?;
            outbox::release(tx, claimed[0].id, "lease", at(2_000))?;
            Ok::<_, store::Error>(claimed)
        })
        .expect("claims");
    let of = company.clone();
    let endpoints = move |tx: &mut dyn store::Transaction| outbox::endpoints(tx, &of, "", 100);
    assert_eq!(store.read(endpoints.clone()).expect("it fails").len(), 1);
    let results = claimed.clone();
    let recorded = store
        .write_one_relaxed(move |tx| {
            let tries: Vec<Try> = results.iter().map(|_| made(200)).collect();
            let taken: Vec<_> = results.iter().zip(&tries).collect();
            outbox::finish_taken(tx, &taken, at(1_001))
        })
        .expect("recorded");
    assert_eq!(recorded, claimed[1..].iter().map(|claimed| claimed.id).collect());
    assert_eq!((in_state(&store, "delivered"), in_state(&store, "waiting")), (2, 2));
    assert_eq!(store.read(endpoints).expect("none").len(), 0, "it has recovered");
    for (place, delivery) in claimed.iter().enumerate() {
        let (of, id) = (company.clone(), delivery.id);
        let tries = store.read(move |tx| outbox::tries(tx, &of, id)).expect("tries");
        let expected = if place == 0 { vec![] } else { vec![made(200)] };
        assert_eq!(tries, expected);
    }
}

fn what_was_met_for_an_endpoint_that_is_on_again_is_due_at_once(database: &TestDatabase) {
    let store = database.open();
    let company = acme(&store);
    // More than one portion, so that a claim finds some.
    fill(&store, PORTION + 5);
    let of = company.clone();
    store
        .write(move |tx| outbox::pause_endpoint(tx, &of, URL, at(10)))
        .expect("paused");
    let now = at(100_000);
    let claim = Claim {
        lease: "lease".to_owned(),
        owner: "owner".to_owned(),
        now,
        until: at(100_090),
        lanes: vec![(
            Lane {
                receiver: "dead.example.com".to_owned(),
                company: company.clone(),
            },
            4,
        )],
    };
    let taken = store
        .write_one_relaxed(move |tx| outbox::claim(tx, &claim))
        .expect("a claim");
    assert!(taken.claimed.is_empty(), "nothing goes to a stopped endpoint");
    let of = company.clone();
    store
        .write(move |tx| outbox::start_endpoint(tx, &of, URL, now))
        .expect("on");
    for ((of, url), met) in taken.stopped {
        assert_eq!(met.len(), 4);
        let held = store.write(move |tx| outbox::hold_claimed(tx, (&of, &url), &met, "lease", now));
        assert_eq!(held.expect("looked at"), 0);
    }
    let all = PORTION + 5;
    let claimed = store.write_relaxed(move |tx| claim_due(tx, "next", "owner", now, all));
    assert_eq!(claimed.expect("a claim").len(), all as usize);
}

fn an_endpoint_that_stops_again_while_it_is_released_keeps_the_rest(database: &TestDatabase) {
    let store = database.open();
    let company = acme(&store);
    fill(&store, PORTION * 3);
    for hold in 0..3 {
        let of = company.clone();
        store
            .write_relaxed(move |tx| {
                outbox::pause_endpoint(tx, &of, URL, at(10))?;
                claim_due(tx, &format!("hold {hold}"), "owner", at(100_000), 1)
            })
            .expect("held");
    }
    let of = company.clone();
    let gone = store.write_relaxed(move |tx| {
        outbox::start_endpoint(tx, &of, URL, at(100_000))?;
        // Meanwhile an accepted delivery recovers the endpoint, and a 410 stops it.
        let claimed = claim_due(tx, "two", "owner", at(100_001), 2)?;
        let made = Try {
            at: at(100_001),
            duration: 1,
            code: Some(410),
            fault: None,
            answer: String::new(),
        };
        outbox::finish(tx, &claimed[0], &made, Outcome::Delivered, at(100_001))?;
        outbox::finish(tx, &claimed[1], &made, Outcome::Gone, at(100_001))
    });
    let gone = gone.expect("finished");
    assert!(
        matches!(
            gone,
            outbox::Finished::Recorded {
                stopped: Some(StopReason::Gone),
                ..
            }
        ),
        "{gone:?}"
    );
    assert_eq!(
        store.read_one(outbox::letting_go).expect("none"),
        None,
        "it is let go no more"
    );
    let of = company.clone();
    let late = store.write(move |tx| outbox::let_go(tx, &of, URL, at(100_002)));
    assert_eq!(late.expect("nothing"), 0);
    let claimed = store.write_relaxed(|tx| claim_due(tx, "three", "owner", at(100_003), 5));
    assert_eq!(claimed.expect("nothing"), []);
    assert_eq!(in_state(&store, "held"), PORTION * 3 - 1);
}
