//! A company's mail settings: recipients of completed documents, and automatic reminders.

use jiff::{SignedDuration, Timestamp};

/// Recipients of the completed document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedMails {
    /// The signers, except those of embedded workflows.
    pub writers: bool,
    /// The people named for copies when the workflow was started.
    pub copies: bool,
    pub sender: bool,
}

impl Default for CompletedMails {
    fn default() -> Self {
        Self {
            writers: true,
            copies: true,
            sender: true,
        }
    }
}

impl CompletedMails {
    /// Parses `writers,copies,sender`, any of them in any order, or `none`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut choice = Self {
            writers: false,
            copies: false,
            sender: false,
        };
        if text == "none" {
            return Some(choice);
        }
        for word in text.split(',') {
            match word.trim() {
                "writers" => choice.writers = true,
                "copies" => choice.copies = true,
                "sender" => choice.sender = true,
                _ => return None,
            }
        }
        Some(choice)
    }
}

impl std::fmt::Display for CompletedMails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chosen = [
            (self.writers, "writers"),
            (self.copies, "copies"),
            (self.sender, "sender"),
        ];
        let words: Vec<&str> = chosen.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
        if words.is_empty() {
            f.write_str("none")
        } else {
            f.write_str(&words.join(","))
        }
    }
}

/// Times of automatic reminders for signers whose turn it is. No reminders if neither is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reminders {
    /// Repeated this many days after the request or the last reminder.
    pub every_days: Option<i64>,
    /// Sent once, this many days before the deadline.
    pub before_days: Option<i64>,
}

impl Reminders {
    pub fn are_on(&self) -> bool {
        self.every_days.is_some() || self.before_days.is_some()
    }

    /// Returns the next reminder for a signer who was last asked or reminded at `last`. `None` after the end.
    pub fn next(&self, last: Timestamp, ends: Timestamp) -> Option<Timestamp> {
        let days = |days: i64| SignedDuration::from_hours(days.saturating_mul(24));
        let every = self.every_days.and_then(|every| last.checked_add(days(every)).ok());
        let before = self
            .before_days
            .and_then(|before| ends.checked_sub(days(before)).ok())
            // Anyone asked later has already seen the deadline.
            .filter(|before| *before > last);
        [every, before].into_iter().flatten().min().filter(|next| *next < ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_of_who_is_notified_reads_as_it_is_written() {
        for text in [
            "writers,copies,sender",
            "writers,sender",
            "copies",
            "none",
            "writers,copies",
        ] {
            assert_eq!(CompletedMails::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(
            CompletedMails::parse(" sender, writers").unwrap().to_string(),
            "writers,sender"
        );
        assert_eq!(CompletedMails::default().to_string(), "writers,copies,sender");
        for text in ["", "all", "writers,", "writers;sender"] {
            assert_eq!(CompletedMails::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_next_reminder_is_the_sooner_one_and_none_after_the_end() {
        let day = |day: i64| Timestamp::from_second(day * 86_400).unwrap();
        let reminders = |every_days, before_days| Reminders {
            every_days,
            before_days,
        };
        for (every, before, last, ends, next) in [
            (None, None, 0, 14, None),
            (Some(3), None, 0, 14, Some(3)),
            (Some(3), None, 12, 14, None),
            (None, Some(2), 0, 14, Some(12)),
            // Already reminded on day 12, so not again.
            (None, Some(2), 12, 14, None),
            (Some(5), Some(2), 10, 14, Some(12)),
            (Some(1), Some(2), 10, 14, Some(11)),
            // The deadline is closer than `before_days`.
            (None, Some(20), 0, 14, None),
        ] {
            assert_eq!(
                reminders(every, before).next(day(last), day(ends)),
                next.map(day),
                "{every:?} {before:?} {last} {ends}"
            );
        }
        assert!(!reminders(None, None).are_on() && reminders(None, Some(1)).are_on());
    }
}
