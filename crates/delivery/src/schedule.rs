//! Decides when to retry a failed delivery.
//!
//! There are ten tries over about 75 hours: seconds apart at first, in case the receiver is restarting, and a day apart
//! at the end, in case it was broken over a weekend. Each delay varies by up to a fifth, so that deliveries that failed
//! together are not retried together. The last try is made no sooner than [`LAST_TRY_AFTER`], so an outage of three
//! days loses nothing.

use domain::Random;
use jiff::{SignedDuration, Timestamp};

/// Number of tries in one round.
pub const MOST_TRIES: u32 = 10;

/// Delays between tries, in seconds.
const DELAYS: [i64; MOST_TRIES as usize - 1] = [
    5,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600,
];

/// The minimum time from the event to the last try.
const LAST_TRY_AFTER: SignedDuration = SignedDuration::from_hours(74);

/// Maximum pause that a receiver may ask for.
const LONGEST_ASKED: SignedDuration = SignedDuration::from_hours(24);

/// Returns the time of the next try, after `tries_made` tries in this round. `None` if that was the last.
///
/// A `Retry-After` (seconds or an HTTP date) counts if it asks for a longer pause than the schedule, up to 24 hours.
pub fn next_try(
    tries_made: u32,
    event: Timestamp,
    now: Timestamp,
    retry_after: Option<&str>,
    random: &dyn Random,
) -> Option<Timestamp> {
    let index = usize::try_from(tries_made.checked_sub(1)?).ok()?;
    let mut delay = jittered(*DELAYS.get(index)?, random);
    if index + 1 == DELAYS.len() {
        delay = delay.max(LAST_TRY_AFTER - now.duration_since(event));
    }
    let asked = retry_after
        .and_then(|value| asked_pause(value, now))
        .map_or(SignedDuration::ZERO, |asked| {
            asked.clamp(SignedDuration::ZERO, LONGEST_ASKED)
        });
    now.checked_add(delay.max(asked)).ok().map(domain::time::cut)
}

fn jittered(seconds: i64, random: &dyn Random) -> SignedDuration {
    let mut bytes = [0; 4];
    random.fill(&mut bytes);
    // A factor of 0.8 to 1.2, in steps of a millionth.
    let millionths = 800_000 + i64::from(u32::from_le_bytes(bytes)) * 400_000 / i64::from(u32::MAX);
    SignedDuration::from_micros(seconds * millionths)
}

fn asked_pause(value: &str, now: Timestamp) -> Option<SignedDuration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number too large for an `i64` means a longer wait than we allow.
        return Some(value.parse().map_or(LONGEST_ASKED, SignedDuration::from_secs));
    }
    // The three date formats of RFC 9110, 5.6.7, the first with any offset.
    let date = match jiff::fmt::rfc2822::parse(value) {
        Ok(date) => date.timestamp(),
        Err(_) => Timestamp::try_from(httpdate::parse_http_date(value).ok()?).ok()?,
    };
    Some(date.duration_since(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills buffers with one byte.
    struct Byte(u8);

    impl Random for Byte {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn delay(tries: u32, retry_after: Option<&str>, byte: u8) -> Option<f64> {
        let long_ago = NOW - SignedDuration::from_hours(1_000);
        next_try(tries, long_ago, NOW, retry_after, &Byte(byte)).map(|at| at.duration_since(NOW).as_secs_f64())
    }

    #[test]
    fn the_last_try_comes_after_three_days_however_the_delays_were_moved() {
        for (byte, least, most) in [(0, 74.0, 74.0), (0x7f, 75.0, 76.0), (0xff, 90.0, 91.0)] {
            let mut now = NOW;
            for tries in 1..MOST_TRIES {
                now = next_try(tries, NOW, now, None, &Byte(byte)).expect("ten tries");
            }
            let hours = now.duration_since(NOW).as_secs_f64() / 3600.0;
            assert!((least..=most).contains(&hours), "{hours} h");
        }
    }

    #[test]
    fn ten_tries_take_about_75_hours_and_each_delay_moves_by_a_fifth() {
        for (byte, factor) in [(0, 0.8), (0x7f, 1.0), (0xff, 1.2)] {
            let delays: Vec<f64> = (1..).map_while(|tries| delay(tries, None, byte)).collect();
            assert_eq!(delays.len(), 9, "ten tries");
            for (found, wanted) in delays.iter().zip(DELAYS) {
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                let wanted = wanted as f64 * factor;
                assert!((found - wanted).abs() < wanted / 100.0, "{found} is not about {wanted}");
            }
            let hours = delays.iter().sum::<f64>() / 3600.0;
            assert!((hours - 75.6 * factor).abs() < 1.0, "{hours} h");
        }
    }

    #[test]
    fn no_try_is_left_after_the_tenth_and_none_before_the_first() {
        assert_eq!(delay(10, None, 0), None);
        assert_eq!(delay(10, Some("5"), 0), None);
        assert_eq!(delay(0, None, 0), None);
    }

    #[test]
    fn retry_after_is_honoured_within_24_hours() {
        for (value, seconds) in [
            ("120", 120.0),
            (" 7 ", 7.0),
            ("Thu, 01 Jan 1970 00:10:00 GMT", 600.0),
            // The older forms of HTTP: RFC 850 and asctime.
            ("Thursday, 01-Jan-70 00:10:00 GMT", 600.0),
            ("Thu Jan  1 00:10:00 1970", 600.0),
            ("86400", 86_400.0),
            ("86401", 86_400.0),
            ("99999999999999999999999999", 86_400.0),
            ("Fri, 01 Jan 2100 00:00:00 GMT", 86_400.0),
        ] {
            assert_eq!(delay(1, Some(value), 0), Some(seconds), "{value}");
        }
    }

    #[test]
    fn a_shorter_or_senseless_retry_after_leaves_the_schedule() {
        for value in ["0", "-5", "", "soon", "1.5", "Wed, 31 Dec 1969 23:59:59 GMT"] {
            assert_eq!(delay(1, Some(value), 0), Some(4.0), "{value}");
        }
    }
}
