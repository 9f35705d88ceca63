use proptest::prelude::*;

use super::*;

const BOUNDS: Bounds = Bounds {
    workers: 160,
    per_receiver: 16,
    per_company: 40,
};

fn lane(receiver: &str, company: &str) -> Lane {
    Lane {
        receiver: receiver.to_owned(),
        company: CompanyId::parse(company).expect("an id"),
    }
}

fn due(receiver: &str, company: &str) -> DueLane {
    DueLane {
        lane: lane(receiver, company),
        has_failed: false,
    }
}

const START: Duration = Duration::ZERO;
const QUICK: Duration = Duration::from_millis(3);

/// Claims and starts what one plan allows.
fn round(shares: &mut Shares, lanes: &[DueLane], now: Duration) -> Plan {
    let plan = shares.plan(lanes, 64, now);
    for (lane, count) in &plan.lanes {
        for _ in 0..*count {
            shares.claimed(lane, false);
        }
    }
    for (lane, count) in shares.may_begin(now) {
        for _ in 0..count {
            shares.began(&lane, now);
        }
    }
    plan
}

fn end(shares: &mut Shares, lane: &Lane, took: Duration) {
    let (call, began) = shares.loads[lane].calls.first_key_value().expect("a call");
    let (call, now) = (*call, *began + took);
    shares.ended(lane, call, Some(took), now);
}

/// Makes one call that takes this long.
fn answer(shares: &mut Shares, lane: &Lane, took: Duration) {
    shares.claimed(lane, false);
    shares.began(lane, START);
    end(shares, lane, took);
}

/// Makes enough calls for an unknown lane to become quick.
fn prove(shares: &mut Shares, lane: &Lane, took: Duration) {
    for _ in 0..PROOF {
        answer(shares, lane, took);
    }
}

/// Claims and starts as many deliveries as there is room for, from an endless backlog in each lane.
fn fill(shares: &mut Shares, lanes: &[DueLane]) {
    loop {
        if round(shares, lanes, START).lanes.is_empty() {
            break;
        }
    }
}

fn under_way(shares: &Shares, is_meant: impl Fn(&Lane) -> bool) -> usize {
    let loads = shares.loads.iter().filter(|(lane, _)| is_meant(lane));
    loads.map(|(_, load)| load.under_way()).sum()
}

#[test]
fn what_we_were_waited_for_is_held_against_nobody() {
    let mut shares = Shares::new(BOUNDS);
    let lane = lane("a", "acme");
    prove(&mut shares, &lane, QUICK);
    let much_later = LONG * 5;
    for _ in 0..2 {
        shares.claimed(&lane, false);
    }
    let (asked_late, never_asked) = (shares.began(&lane, START), shares.began(&lane, START));
    shares.asks(&lane, asked_late, much_later);
    shares.ended(&lane, asked_late, Some(QUICK), much_later + QUICK);
    shares.withdrawn(&lane, never_asked);
    assert_eq!(shares.standing(&lane, much_later + LONG), Standing::Quick);
    assert_eq!(under_way(&shares, |_| true), 0);

    // The second of two calls hangs, regardless of the first.
    for _ in 0..2 {
        shares.claimed(&lane, false);
    }
    let first = shares.began(&lane, START);
    shares.began(&lane, START);
    shares.asks(&lane, first, much_later);
    assert_eq!(shares.standing(&lane, much_later), Standing::Slow);
}

#[test]
fn however_many_receivers_are_dead_a_half_is_left_for_others_and_a_quarter_for_those_that_answer() {
    let mut shares = Shares::new(BOUNDS);
    let dead: Vec<DueLane> = (0..600)
        .map(|number| due(&format!("dead{}.example", number % 60), &format!("c{}", number / 6)))
        .collect();
    fill(&mut shares, &dead);
    assert_eq!(
        under_way(&shares, |_| true),
        120,
        "three quarters while nothing is known"
    );
    let begun: Vec<Lane> = shares.loads.keys().cloned().collect();
    for lane in &begun {
        while shares.loads.contains_key(lane) {
            end(&mut shares, lane, Duration::from_secs(15));
        }
    }
    let known: Vec<DueLane> = begun
        .iter()
        .map(|lane| due(&lane.receiver, lane.company.as_str()))
        .collect();
    fill(&mut shares, &known);
    // The last slot is for a company that has none.
    assert!((79..=80).contains(&under_way(&shares, |_| true)), "half of all workers");
    let plan = shares.plan(&[due("new.example", "c1")], 64, START);
    assert_eq!(plan.lanes, [(lane("new.example", "c1"), 1)]);
}

#[test]
fn a_quick_lane_has_its_receivers_tenth_and_the_next_round_waits() {
    let mut shares = Shares::new(BOUNDS);
    let quick = lane("quick.example", "acme");
    prove(&mut shares, &quick, QUICK);
    fill(&mut shares, &[due("quick.example", "acme")]);
    let load = &shares.loads[&quick];
    assert_eq!((load.under_way(), load.waiting), (16, 16));
}

#[test]
fn a_receiver_that_failed_before_this_process_began_has_one_place_until_it_has_answered_quickly_for_a_while() {
    let mut shares = Shares::new(BOUNDS);
    let back = DueLane {
        has_failed: true,
        ..due("back.example", "acme")
    };
    let places = |shares: &Shares| shares.plan(std::slice::from_ref(&back), 64, START).lanes[0].1;
    for _ in 0..PROOF_AFTER_SLOW {
        assert_eq!(places(&shares), 1);
        shares.claimed(&back.lane, true);
        assert_ne!(shares.standing(&back.lane, START), Standing::Quick);
        shares.began(&back.lane, START);
        end(&mut shares, &back.lane, QUICK);
    }
    assert!(places(&shares) >= 16);
}

#[test]
fn a_company_begins_a_call_only_while_it_has_fewer_than_are_free() {
    let mut shares = Shares::new(BOUNDS);
    let lanes: Vec<DueLane> = (0..200)
        .map(|number| due(&format!("r{number}"), &format!("c{}", number % 10)))
        .collect();
    let company = |number: usize| format!("c{number}");
    fill(&mut shares, &lanes);
    let of_each = |shares: &Shares| -> Vec<usize> {
        let of = |number| under_way(shares, |lane| lane.company.as_str() == company(number));
        (0..10).map(of).collect()
    };
    assert_eq!(of_each(&shares), [11; 10], "of 120, 10 are free");
    for lane in &lanes {
        prove(&mut shares, &lane.lane, QUICK);
    }
    fill(&mut shares, &lanes);
    let all: usize = of_each(&shares).into_iter().sum();
    assert!((140..150).contains(&all), "{all} of 160");
}

#[test]
fn a_call_that_hangs_makes_its_lane_slow_while_it_hangs() {
    let mut shares = Shares::new(BOUNDS);
    let hanging: Vec<DueLane> = (0..5)
        .map(|number| due(&format!("r{number}"), &format!("c{number}")))
        .collect();
    for due in &hanging {
        prove(&mut shares, &due.lane, QUICK);
    }
    fill(&mut shares, &hanging);
    assert_eq!(under_way(&shares, |_| true), 80);
    let (slow, quick) = (due("slow", "c10"), due("quick", "c11"));
    shares.remember(&slow.lane, PROOF_AFTER_SLOW);
    prove(&mut shares, &quick.lane, QUICK);
    let just_before = LONG.saturating_sub(Duration::from_millis(1));
    let all = [hanging[0].clone(), slow.clone(), quick.clone()];
    let planned = |now: Duration| {
        let plan = shares.plan(&all, 64, now);
        plan.lanes.into_iter().map(|(lane, _)| lane).collect::<Vec<_>>()
    };
    assert_eq!(shares.standing(&hanging[0].lane, just_before), Standing::Quick);
    assert!(planned(just_before).contains(&slow.lane));
    assert_eq!(shares.standing(&hanging[0].lane, LONG), Standing::Slow);
    assert_eq!(
        planned(LONG),
        std::slice::from_ref(&quick.lane),
        "half of the workers are held by what hangs"
    );
    // The call ends late, which marks its lane as slow.
    end(&mut shares, &hanging[0].lane, LONG);
    assert_eq!(shares.known[&hanging[0].lane].doubts, PROOF_AFTER_SLOW);
}

#[test]
fn a_slow_answer_takes_all_places_but_one_until_many_in_a_row_were_quick() {
    let mut shares = Shares::new(BOUNDS);
    let lane = lane("r", "c");
    prove(&mut shares, &lane, QUICK);
    assert_eq!(shares.standing(&lane, START), Standing::Quick);
    for quick in [PROOF_AFTER_SLOW / 2, PROOF_AFTER_SLOW - 1] {
        answer(&mut shares, &lane, LONG);
        assert_eq!(shares.standing(&lane, START), Standing::Slow);
        for _ in 0..quick {
            answer(&mut shares, &lane, QUICK);
        }
        assert_ne!(shares.standing(&lane, START), Standing::Quick);
    }
    answer(&mut shares, &lane, QUICK);
    assert_eq!(shares.standing(&lane, START), Standing::Quick);
}

#[test]
fn what_was_never_sent_says_nothing_unless_it_held_its_worker_for_long() {
    let mut shares = Shares::new(BOUNDS);
    let lane = lane("r", "c");
    for (held, known) in [(QUICK, None), (LONG, Some(Standing::Slow))] {
        let call = shares.began(&lane, START);
        shares.ended(&lane, call, None, held);
        assert_eq!(shares.known_standing(&lane, held), known);
    }
}

#[test]
fn messages_have_places_of_their_own_codes_come_first_and_no_company_has_more_than_a_quarter() {
    let mut shares = Shares::new(BOUNDS);
    let webhooks: Vec<DueLane> = (0..40)
        .map(|number| due(&format!("r{number}"), &format!("c{number}")))
        .collect();
    fill(&mut shares, &webhooks);
    fill(&mut shares, &[due(":mail", "c1")]);
    assert_eq!(under_way(&shares, |lane| lane.receiver == ":mail"), 4);
    let all = [
        due(":mail", "c2"),
        due(":gateway/one", "c1"),
        due(":mail/code", "c1"),
        due(":gateway/other", "c1"),
    ];
    let plan = shares.plan(&all, 64, START);
    let found: Vec<(&str, u32)> = plan
        .lanes
        .iter()
        .map(|(lane, n)| (lane.receiver.as_str(), *n))
        .collect();
    let expected = [
        (":mail/code", 4),
        (":mail", 4),
        (":gateway/one", 4),
        (":gateway/other", 4),
    ];
    assert_eq!(found, expected);
}

/// Ends one call, then plans and starts whatever fits.
fn turn(shares: &mut Shares, ended: &Lane, took: Duration, lanes: &[DueLane]) {
    end(shares, ended, took);
    round(shares, lanes, START);
}

#[test]
fn a_quick_lane_with_much_to_do_gives_another_of_its_receiver_its_turn() {
    let mut shares = Shares::new(BOUNDS);
    let busy = due("shared.example", "a");
    prove(&mut shares, &busy.lane, Duration::from_millis(900));
    fill(&mut shares, std::slice::from_ref(&busy));
    assert_eq!(under_way(&shares, |_| true), 16);
    let both = [busy.clone(), due("shared.example", "b")];
    for _ in 0..2 {
        turn(&mut shares, &busy.lane, Duration::from_millis(900), &both);
    }
    assert!(under_way(&shares, |lane| lane.company.as_str() == "b") > 0);
}

#[test]
fn a_slow_lane_has_its_turn_however_many_others_are_slow() {
    let mut shares = Shares::new(BOUNDS);
    let mut all: Vec<DueLane> = (0..200)
        .map(|number| due(&format!("dead{number}"), &format!("c{number}")))
        .collect();
    all.push(due("back", "c200"));
    for due in &all {
        shares.remember(&due.lane, PROOF_AFTER_SLOW);
    }
    fill(&mut shares, &all);
    assert_eq!(under_way(&shares, |_| true), 80);
    // Each call that ends makes room for one lane, and all of these lanes have waited longer than the one that is back.
    for ended in 0..=120 {
        assert!(!shares.loads.contains_key(&lane("back", "c200")), "{ended}");
        turn(&mut shares, &all[ended].lane, Duration::from_secs(15), &all);
    }
    assert_eq!(shares.loads[&lane("back", "c200")].under_way(), 1);
}

#[test]
fn lanes_that_gave_nothing_come_last_until_all_are_looked_at_again() {
    let mut shares = Shares::new(BOUNDS);
    let lanes: Vec<DueLane> = (0..40)
        .map(|number| due(&format!("r{number}"), &format!("c{number}")))
        .collect();
    let first = shares.plan(&lanes, 8, START);
    assert!(first.is_full);
    assert!(shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
    let next = shares.plan(&lanes, 8, START);
    assert!(
        next.lanes
            .iter()
            .all(|(lane, _)| !first.lanes.iter().any(|(before, _)| before == lane))
    );
    assert!(!shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
    shares.look_at_all();
    assert_eq!(shares.plan(&lanes, 8, START), first);
}

proptest! {
    #[test]
    fn no_bound_is_passed_whatever_comes_and_ends(
        steps in proptest::collection::vec((0..12_usize, 0..6_usize, 0..3_usize, any::<bool>()), 1..300)
    ) {
        let bounds = Bounds { workers: 20, per_receiver: 6, per_company: 9 };
        let mut shares = Shares::new(bounds);
        for (receiver, company, action, is_long) in steps {
            let receiver = if receiver == 0 { ":mail".to_owned() } else { format!("r{receiver}") };
            let company = format!("c{company}");
            let one = lane(&receiver, &company);
            match action {
                0 => fill(&mut shares, &[due(&receiver, &company)]),
                _ if shares.loads.get(&one).is_some_and(|load| load.under_way() > 0) => {
                    end(&mut shares, &one, if is_long { LONG } else { Duration::ZERO });
                }
                _ => {}
            }
            prop_assert!(under_way(&shares, |lane| !lane.is_of_messages()) <= bounds.workers);
            prop_assert!(under_way(&shares, |lane| lane.receiver == receiver) <= bounds.per_receiver);
            let of_company = under_way(&shares, |lane| !lane.is_of_messages() && lane.company == one.company);
            prop_assert!(of_company <= bounds.per_company);
        }
    }

    #[test]
    fn nothing_is_held_when_all_has_ended_in_whatever_order_and_way(
        steps in proptest::collection::vec((0..8_usize, 0..4_usize, 0..6_usize, 0..3_000_u64), 1..300)
    ) {
        let mut shares = Shares::new(Bounds { workers: 20, per_receiver: 6, per_company: 9 });
        let mut calls: Vec<(Lane, Call)> = Vec::new();
        let mut begun = 0;
        let mut now = START;
        let mut begin = |shares: &mut Shares, calls: &mut Vec<(Lane, Call)>, now: Duration| {
            for (lane, count) in shares.may_begin(now) {
                for _ in 0..count {
                    calls.push((lane.clone(), shares.began(&lane, now)));
                    begun += 1;
                }
            }
        };
        let mut claimed = 0;
        for (receiver, company, action, pause) in steps {
            let receiver = if receiver == 0 { ":mail".to_owned() } else { format!("r{receiver}") };
            let one = lane(&receiver, &format!("c{company}"));
            now += Duration::from_millis(pause);
            match action {
                // A claim of deliveries that have or have not failed before, or a claim whose answer was lost.
                0..=2 => {
                    let due = DueLane { lane: one.clone(), has_failed: action == 0 };
                    for (lane, count) in shares.plan(&[due], 8, now).lanes {
                        for _ in 0..if action == 2 { count / 2 } else { count } {
                            shares.claimed(&lane, action == 0);
                            claimed += 1;
                        }
                    }
                    shares.gave_nothing(std::iter::once(one));
                }
                // An end with or without an answer (as after a panic or a lost lease), or an end reported twice.
                3..=5 if !calls.is_empty() => {
                    let (lane, call) = calls.swap_remove(usize::try_from(pause).unwrap() % calls.len());
                    let took = (action == 3).then(|| Duration::from_millis(pause));
                    shares.ended(&lane, call, took, now);
                    if action == 5 {
                        shares.ended(&lane, call, took, now);
                    }
                }
                _ => shares.look_at_all(),
            }
            begin(&mut shares, &mut calls, now);
            prop_assert_eq!(under_way(&shares, |_| true), calls.len());
        }
        // All waiting deliveries get their turn as other calls end.
        while let Some((lane, call)) = calls.pop() {
            shares.ended(&lane, call, None, now);
            begin(&mut shares, &mut calls, now);
        }
        prop_assert_eq!(begun, claimed);
        prop_assert!(shares.loads.is_empty(), "{:?}", shares.loads);
        let tally = shares.tally(now);
        prop_assert_eq!(tally.workers, Used::default());
        prop_assert!(tally.companies.is_empty() && tally.receivers.is_empty() && tally.lanes.is_empty());
    }
}
