//! One-time codes: how long a code is valid, how often it may be tried, and how often one may be sent.
//!
//! A code of six digits is sent to the signer's own address on request. It is valid for ten minutes and allows five
//! tries. We send the next one after a minute at the earliest, and five an hour at most, so that nobody's mailbox is
//! flooded. Somebody who has only the link could still keep guessing for days. So after 25 wrong codes without a right
//! one we send nothing until the sender asks the signer again or renews the links of the document (NIST SP 800-63B,
//! 5.2.2, allows 100). An automatic reminder does not count as asking: with one a day, the lock would mean nothing.
//!
//! Somebody who can start documents in another person's name would get 25 tries with each of them. So wrong codes are
//! also counted per contact, over all documents: [`MOST_WRONG`].
//!
//! The codes that were sent and tried are read from the workflow's audit trail, which contains them anyway.

use jiff::{SignedDuration, Timestamp};

use crate::event::{Event, EventKind, IdentityMethod, Who};
use crate::ids::RecipientId;
use crate::number::of_usual_width;
use crate::recent_times::{Limit, remaining};

/// Validity of a code.
pub const LIFE: SignedDuration = SignedDuration::from_mins(10);
/// Maximum number of wrong tries per code.
pub const MOST_TRIES: u32 = 5;
const PAUSE: SignedDuration = SignedDuration::from_secs(60);
/// Period in which at most [`MOST_SENT`] codes are sent.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);
const MOST_SENT: usize = 5;
/// Maximum number of wrong codes without a correct one, over all codes.
const MOST_REFUSED: u32 = 25;
/// Time in which the form that used a correct code may submit it again, after a double click.
const GRACE: SignedDuration = SignedDuration::from_secs(30);
/// Maximum number of wrong codes for one contact, in an hour and in a day.
pub const MOST_WRONG: [Limit; 2] = [(10, SignedDuration::from_hours(1)), (30, WRONG_COUNTS_FOR)];
/// Time for which a wrong code counts.
pub const WRONG_COUNTS_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Returns a six-digit code from random bytes. The remainder of a 64-bit number modulo a million has no measurable
/// bias.
pub fn code(random: [u8; 8]) -> String {
    format!("{:06}", u64::from_be_bytes(random) % 1_000_000)
}

/// Normalises a typed code: removes whitespace and converts digits to ASCII.
pub fn as_typed(text: &str) -> String {
    of_usual_width(text)
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect()
}

/// Whether a code sent at `sent_at` can still be entered, unless it was used.
pub fn is_alive(sent_at: Timestamp, used_at: Option<Timestamp>, at: Timestamp) -> bool {
    used_at.is_none() && remaining(sent_at, LIFE, at).is_some()
}

/// Whether the form that used a code at `used_at` may submit it again.
pub fn may_repeat(used_at: Timestamp, at: Timestamp) -> bool {
    remaining(used_at, GRACE, at).is_some()
}

/// Reasons why no code can be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hindrance {
    /// Codes were sent recently. The next one may be sent after this time.
    Wait(SignedDuration),
    /// Too many wrong codes were entered, so the sender must ask the signer again.
    Locked,
}

/// The codes sent to a signer and the codes they entered, from the audit trail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    sent: Vec<Timestamp>,
    refused: u32,
}

impl Record {
    /// Reads the events of an audit trail, in order. A new person in the signer's place starts from zero.
    pub fn of(events: impl IntoIterator<Item = Event>, writer: RecipientId) -> Record {
        let mut record = Record::default();
        let concerns_writer =
            |event: &Event| event.event == EventKind::LinksRenewed || event.event.recipient() == Some(writer);
        for event in events.into_iter().filter(concerns_writer) {
            if event.event.successor().is_some() {
                record = Record::default();
            }
            match event.event {
                EventKind::OneTimeCodeSent { .. } => record.sent.push(event.at),
                EventKind::IdentityRefused {
                    method: IdentityMethod::OneTimeCode,
                    ..
                } => record.refused = record.refused.saturating_add(1),
                EventKind::Reminded { .. } if matches!(event.actor.who, Who::Member(_)) => record.refused = 0,
                EventKind::LinksRenewed
                | EventKind::IdentityChecked {
                    method: IdentityMethod::OneTimeCode,
                    ..
                } => record.refused = 0,
                _ => {}
            }
        }
        record
    }

    /// Returns whether a code may be sent now.
    pub fn may_send(&self, at: Timestamp) -> Result<(), Hindrance> {
        if self.refused >= MOST_REFUSED {
            return Err(Hindrance::Locked);
        }
        let newest_first = || self.sent.iter().rev();
        let pause = newest_first().next().and_then(|last| remaining(*last, PAUSE, at));
        let window = newest_first()
            .nth(MOST_SENT - 1)
            .and_then(|fifth| remaining(*fifth, WINDOW, at));
        match pause.max(window) {
            Some(wait) => Err(Hindrance::Wait(wait)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Actor, NamedRecipient};
    use crate::ids::MemberId;
    use crate::recent_times::RecentTimes;

    const WRITER: RecipientId = RecipientId(7);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn event(seconds: i64, event: EventKind) -> Event {
        Event {
            at: at(seconds),
            actor: Actor::SERVICE,
            event,
        }
    }

    fn sent(seconds: i64) -> Event {
        event(
            seconds,
            EventKind::OneTimeCodeSent {
                recipient: WRITER,
                to: None,
            },
        )
    }

    fn refused(method: IdentityMethod) -> Event {
        let recipient = WRITER;
        let locked = false;
        event(
            0,
            EventKind::IdentityRefused {
                recipient,
                method,
                locked,
            },
        )
    }

    fn wait(seconds: i64) -> Result<(), Hindrance> {
        Err(Hindrance::Wait(SignedDuration::from_secs(seconds)))
    }

    #[test]
    fn a_code_has_six_digits_whatever_the_random_bytes() {
        assert_eq!(code([0; 8]), "000000");
        assert_eq!(code([255; 8]), "551615");
        assert_eq!(code(1_000_042_u64.to_be_bytes()), "000042");
    }

    #[test]
    fn digits_of_full_width_and_blanks_are_taken() {
        assert_eq!(as_typed(" １２３ 456\t"), "123456");
        assert_eq!(as_typed("12a456"), "12a456");
    }

    #[test]
    fn a_code_lives_for_ten_minutes_and_is_used_once() {
        assert!(is_alive(at(0), None, at(599)));
        assert!(!is_alive(at(0), None, at(600)));
        assert!(!is_alive(at(0), Some(at(100)), at(100)));
        assert!(may_repeat(at(100), at(129)));
        assert!(!may_repeat(at(100), at(130)));
        // The clock was set back.
        assert!(is_alive(at(1000), None, at(0)));
    }

    #[test]
    fn the_next_code_waits_a_minute_and_the_sixth_for_the_hour() {
        assert_eq!(Record::of([], WRITER).may_send(at(0)), Ok(()));
        let one = Record::of([sent(0)], WRITER);
        assert_eq!(one.may_send(at(1)), wait(59));
        assert_eq!(one.may_send(at(60)), Ok(()));
        assert_eq!(one.may_send(at(-500)), wait(60));
        let five = Record::of((0..5).map(|number| sent(number * 100)), WRITER);
        assert_eq!(five.may_send(at(500)), wait(3100));
        assert_eq!(five.may_send(at(3600)), Ok(()));
        // Another signer's codes do not count.
        assert_eq!(Record::of([sent(0)], RecipientId(8)).may_send(at(1)), Ok(()));
    }

    #[test]
    fn ten_wrong_codes_an_hour_and_thirty_a_day_are_counted() {
        let mut codes = RecentTimes::default();
        let wait = |seconds| Err(SignedDuration::from_secs(seconds));
        for hour in 0..3 {
            for second in 0..10 {
                let now = at(hour * 3_600 + second);
                assert_eq!(codes.allows(&MOST_WRONG, now), Ok(()));
                codes.add(&MOST_WRONG, now);
            }
            assert_eq!(
                codes.allows(&MOST_WRONG, at(hour * 3_600 + 9)),
                wait(if hour == 2 { 86_400 - 7_209 } else { 3_591 })
            );
        }
        // The first of thirty codes allows another one a day later. Ten in an hour may be spread over the whole day.
        assert_eq!(codes.allows(&MOST_WRONG, at(86_399)), wait(1));
        assert_eq!(codes.allows(&MOST_WRONG, at(86_400)), Ok(()));
        codes.add(&MOST_WRONG, at(86_400));
        assert_eq!(codes.allows(&MOST_WRONG, at(86_400)), wait(1));
        assert_eq!(codes.times().len(), 30);
        // Setting the clock back makes no wait longer than a day.
        assert_eq!(codes.allows(&MOST_WRONG, at(-1_000_000)), wait(86_400));
        assert_eq!(RecentTimes::default().allows(&MOST_WRONG, at(0)), Ok(()));
    }

    #[test]
    fn another_person_begins_from_zero() {
        let recipient = NamedRecipient {
            id: WRITER,
            order: 1,
            name: "Kim".into(),
            contact: "kim@example.com".into(),
            phone: None,
            company: None,
        };
        let corrected = event(
            1,
            EventKind::RecipientCorrected {
                recipient,
                mobile: None,
            },
        );
        assert_eq!(Record::of([sent(0), corrected], WRITER).may_send(at(2)), Ok(()));
    }

    #[test]
    fn many_wrong_codes_lock_until_the_sender_asks_again() {
        let wrong = || std::iter::repeat_n(refused(IdentityMethod::OneTimeCode), 25);
        // One less than the limit.
        assert_eq!(Record::of(wrong().skip(1), WRITER).may_send(at(0)), Ok(()));
        assert_eq!(Record::of(wrong(), WRITER).may_send(at(0)), Err(Hindrance::Locked));
        let reminded = event(0, EventKind::Reminded { recipient: WRITER });
        assert_eq!(
            Record::of(wrong().chain([reminded.clone()]), WRITER).may_send(at(0)),
            Err(Hindrance::Locked),
            "by the service itself"
        );
        let asked = Event {
            actor: Actor {
                who: Who::Member(MemberId(1)),
                ..Actor::SERVICE
            },
            ..reminded
        };
        assert_eq!(Record::of(wrong().chain([asked]), WRITER).may_send(at(0)), Ok(()));
        let renewed = event(0, EventKind::LinksRenewed);
        assert_eq!(Record::of(wrong().chain([renewed]), WRITER).may_send(at(0)), Ok(()));
        // Wrong access codes have their own lock.
        let access = std::iter::repeat_n(refused(IdentityMethod::AccessCode), 25);
        assert_eq!(Record::of(access, WRITER).may_send(at(0)), Ok(()));
    }
}
