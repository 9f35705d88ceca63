//! Tests that wrong one-time codes are counted for each contact, across documents.

use std::sync::Barrier;

use app::{Error, FaultCode, SigningKey, ThrottleCode};
use domain::WorkflowId;

use crate::one_time_codes::{another, give, give_in, guarded, last_code, send, signing_key};
use crate::support::on_both;
use crate::world::{World, faults, id_of, two_steps};

/// Starts a document whose first signer has this address and has been sent a code.
fn coded(world: &World<'_>, email: &str) -> (WorkflowId, SigningKey) {
    let mut request = guarded(world);
    request.recipients[0].email = Some(email.to_owned());
    let started = world.start(request);
    let key = signing_key(&started);
    send(world.app, &key).expect("sent");
    (id_of(&started), key)
}

/// Returns the time during which no code of this contact can be tried.
fn wait<T: std::fmt::Debug>(result: Result<T, Error>) -> u64 {
    match result {
        Err(Error::Throttled {
            code: ThrottleCode::WrongCodes,
            retry_after,
            ..
        }) => retry_after,
        other => panic!("{other:?}"),
    }
}

fn guess_wrongly(world: &World<'_>, (id, key): &(WorkflowId, SigningKey), times: usize) {
    let code = last_code(world, *id);
    for _ in 0..times {
        let met = faults(give(world.app, key, another(&code)));
        assert_eq!(met, [("code".to_owned(), FaultCode::WrongOneTimeCode)]);
    }
}

#[test]
fn ten_wrong_codes_in_all_documents_of_a_contact_are_the_end_for_an_hour() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let documents =
            ["kim@example.com", "KIM+2@Example.com", "\"kim\"@example.com"].map(|email| coded(&world, email));
        guess_wrongly(&world, &documents[0], 5);
        guess_wrongly(&world, &documents[1], 4);
        app.clock.advance(30);
        guess_wrongly(&world, &documents[2], 1);
        // Even the right code is not checked now, and no new code is sent.
        let (id, key) = &documents[2];
        let right = last_code(&world, *id);
        assert_eq!(wait(give(app, key, &right)), 3_570);
        app.clock.advance(60);
        assert_eq!(wait(send(app, key)), 3_510);
        let other = coded(&world, "lee@example.com");
        guess_wrongly(&world, &other, 1);
        give(app, &other.1, &last_code(&world, other.0)).expect("another contact's");
        app.clock.advance(3_510);
        send(app, key).expect("an hour later");
        give(app, key, &last_code(&world, *id)).expect("right");
    });
}

#[test]
fn thirty_wrong_codes_of_a_contact_are_the_end_for_a_day() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for _ in 0..3 {
            for _ in 0..2 {
                guess_wrongly(&world, &coded(&world, "kim@example.com"), 5);
            }
            app.clock.advance(3_600);
        }
        let started = world.start(guarded(&world));
        let key = signing_key(&started);
        assert_eq!(wait(send(app, &key)), 21 * 3_600);
        assert_eq!(app.clean_access().expect("cleaned").guesses, 0);
        app.clock.advance(21 * 3_600);
        send(app, &key).expect("a day later");
        give(app, &key, &last_code(&world, id_of(&started))).expect("right");
        app.clock.advance(3 * 3_600);
        assert_eq!(
            app.clean_access().expect("cleaned").guesses,
            1,
            "none of them counts any more"
        );
    });
}

#[test]
fn parallel_guesses_at_many_documents_of_a_contact_learn_no_more_than_ten() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let documents: Vec<_> = (0..8).map(|_| coded(&world, "kim@example.com")).collect();
        let codes: Vec<String> = documents.iter().map(|(id, _)| last_code(&world, *id)).collect();
        let start = Barrier::new(documents.len());
        let learnt: usize = std::thread::scope(|scope| {
            let guessers: Vec<_> = documents
                .iter()
                .zip(&codes)
                .map(|((_, key), code)| {
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        let learns = |_: &i32| match give(app, key, another(code)) {
                            Err(Error::Unprocessable(met)) => met[0].code == FaultCode::WrongOneTimeCode,
                            Err(Error::Throttled { .. } | Error::Conflict { .. }) => false,
                            other => panic!("{other:?}"),
                        };
                        (0..5).filter(learns).count()
                    })
                })
                .collect();
            guessers.into_iter().map(|one| one.join().expect("no panic")).sum()
        });
        assert_eq!(learnt, 10);
        assert!(wait(give(app, &documents[0].1, &codes[0])) > 3_000);
    });
}

#[test]
fn of_many_forms_that_enter_a_code_at_the_same_moment_one_is_let_in_and_it_alone_twice() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let (id, key) = coded(&world, "kim@example.com");
        let code = last_code(&world, id);
        let forms: Vec<String> = (0..8).map(|number| format!("form {number}")).collect();
        let start = Barrier::new(forms.len());
        let let_in: Vec<bool> = std::thread::scope(|scope| {
            let givers: Vec<_> = forms
                .iter()
                .map(|form| {
                    let (start, key, code) = (&start, &key, &code);
                    scope.spawn(move || {
                        start.wait();
                        give_in(app, key, code, form).is_ok()
                    })
                })
                .collect();
            givers.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        assert_eq!(let_in.iter().filter(|is_in| **is_in).count(), 1, "{let_in:?}");
        for (form, is_in) in forms.iter().zip(let_in) {
            assert_eq!(give_in(app, &key, &code, form).is_ok(), is_in, "{form}");
        }
        assert!(give(app, &key, &code).is_err(), "a form without a value");
    });
}
