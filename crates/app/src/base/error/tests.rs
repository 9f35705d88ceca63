//! Checks that every code has a message in every language, with no unfilled arguments.

use super::*;

#[test]
fn a_wait_is_announced_in_whole_seconds_rounded_up() {
    for (milliseconds, told) in [
        (0, 0),
        (1, 1),
        (999, 1),
        (1_000, 1),
        (1_001, 2),
        (500_000, 500),
        (-1_500, 0),
    ] {
        assert_eq!(
            whole_seconds(SignedDuration::from_millis(milliseconds)),
            told,
            "{milliseconds}"
        );
    }
}

#[test]
fn every_code_has_a_message_in_every_language() {
    let subjects = Subject::ALL.iter().map(|subject| format!("subject-{subject}"));
    let codes = FaultCode::ALL
        .iter()
        .map(|code| code.id())
        .chain(ConflictCode::ALL.iter().map(|code| code.id()))
        .chain(ThrottleCode::ALL.iter().map(|code| code.id()))
        .chain(ForbiddenCode::ALL.iter().map(|code| code.id()))
        .chain(crate::base::seal_refusal::SealCode::ALL.iter().map(|code| code.id()))
        .chain(ERROR_IDS.iter().copied());
    for key in codes.map(str::to_owned).chain(subjects) {
        for language in Language::ALL {
            assert!(
                i18n::has(language, &format!("error-{key}")),
                "{}: error-{key}",
                language.code()
            );
        }
    }
}

/// Counts log events.
#[derive(Default)]
struct Counter(std::sync::Arc<std::sync::atomic::AtomicU32>);

impl tracing::Subscriber for Counter {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn a_failure_that_another_run_may_mend_is_logged_by_who_answers_and_not_where_it_is_met() {
    let counter = Counter::default();
    let logged = std::sync::Arc::clone(&counter.0);
    tracing::subscriber::with_default(counter, || {
        let busy = || store::Error::Busy {
            detail: "could not serialize access".to_owned(),
        };
        let mut met = Vec::new();
        for _ in 0..3 {
            met.push(Error::from(busy()));
        }
        assert_eq!(
            logged.load(std::sync::atomic::Ordering::Relaxed),
            0,
            "a transaction that runs again"
        );
        met.pop().expect("the last one").log();
        assert_eq!(logged.load(std::sync::atomic::Ordering::Relaxed), 1);
        Error::busy(1).log();
        assert_eq!(
            logged.load(std::sync::atomic::Ordering::Relaxed),
            1,
            "a full queue is no news"
        );
    });
}

#[test]
fn a_doubtful_commit_is_no_invitation_to_try_again() {
    let detail = "the connection broke".to_owned();
    let doubt = Error::from(store::Error::CommitUnknown { detail });
    assert_eq!(doubt.id(), "outcome-unknown");
}

#[test]
fn no_two_codes_share_an_id() {
    let mut ids: Vec<&str> = FaultCode::ALL
        .iter()
        .map(|code| code.id())
        .chain(ConflictCode::ALL.iter().map(|code| code.id()))
        .chain(ThrottleCode::ALL.iter().map(|code| code.id()))
        .chain(ForbiddenCode::ALL.iter().map(|code| code.id()))
        .chain(crate::base::seal_refusal::SealCode::ALL.iter().map(|code| code.id()))
        .chain(ERROR_IDS.iter().copied())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn a_refusal_names_every_fault_with_its_place_and_an_internal_failure_hides_its_cause() {
    let refused = Error::Unprocessable(vec![
        Fault::new("name", FaultCode::TooLong).with("max", 128),
        Fault::new("fields[0].kind", FaultCode::Required),
    ]);
    let message = refused.message(Language::En);
    assert!(
        message.contains("name: Use at most 128") && message.contains("fields[0].kind: "),
        "{message}"
    );
    let hidden = Error::internal("counting", "a secret cause").message(Language::En);
    assert!(!hidden.contains("secret"), "{hidden}");
    let subject = Error::NotFound(Subject::Template).message(Language::En);
    assert!(!subject.contains('{') && !subject.contains("error-"), "{subject}");
}
