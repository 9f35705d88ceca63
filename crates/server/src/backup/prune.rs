//! Decides which backups to keep, and removes the others with the files that only they need.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::manifest::Snapshot;
use super::repository::Repository;
use super::{BackupFault, Progress};

/// The number of backups to keep: the latest ones, and the last one of each recent day, week and month that has any. In
/// UTC.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rule {
    pub last: usize,
    pub daily: usize,
    pub weekly: usize,
    pub monthly: usize,
}

#[derive(Debug, Default)]
pub struct Pruned {
    pub kept: Vec<String>,
    pub removed: Vec<String>,
    pub files: u64,
    pub bytes: u64,
}

/// A day, a week or a month.
type Period = (i16, i8, i8);
type PeriodOf = fn(Date) -> Period;

/// Returns which of these moments, ordered oldest first, are kept. The last one always is.
fn kept(moments: &[Timestamp], rule: Rule) -> BTreeSet<usize> {
    let newest_first = || moments.iter().enumerate().rev();
    let mut kept: BTreeSet<usize> = newest_first().map(|(index, _)| index).take(rule.last.max(1)).collect();
    let rules: [(usize, PeriodOf); 3] = [
        (rule.daily, |day| (day.year(), day.month(), day.day())),
        (rule.weekly, |day| {
            let week = day.iso_week_date();
            (week.year(), week.week(), 0)
        }),
        (rule.monthly, |day| (day.year(), day.month(), 0)),
    ];
    for (count, period_of) in rules {
        let mut seen = BTreeSet::new();
        // We go backwards, so the first of a period that we meet is its last.
        let last_of_each =
            newest_first().filter(|(_, at)| seen.insert(period_of(TimeZone::UTC.to_datetime(**at).date())));
        kept.extend(last_of_each.take(count).map(|(index, _)| index));
    }
    kept
}

/// Removes the backups that the rule does not keep, and the files that no other backup needs.
pub fn run(repository: &Repository, rule: Rule, is_dry: bool, progress: &mut Progress) -> Result<Pruned, BackupFault> {
    progress.stage("reading the list of backups");
    // All backups are read first. If one is damaged, we do not know which files it needs, so nothing is removed.
    let names = repository.names()?;
    let snapshots: Vec<Snapshot> = names
        .iter()
        .map(|name| Snapshot::read(repository, name))
        .collect::<Result<_, _>>()?;
    let moments: Vec<Timestamp> = snapshots.iter().map(|snapshot| snapshot.manifest.taken_at).collect();
    let kept = kept(&moments, rule);
    let (mut pruned, mut needed) = (Pruned::default(), BTreeSet::new());
    for (index, snapshot) in snapshots.into_iter().enumerate() {
        if kept.contains(&index) {
            pruned.kept.push(snapshot.name);
            needed.extend(snapshot.files);
        } else {
            if !is_dry {
                repository.remove(&snapshot.name)?;
            }
            pruned.removed.push(snapshot.name);
        }
    }
    if !is_dry && !pruned.kept.is_empty() {
        progress.stage("removing files that no backup needs");
        (pruned.files, pruned.bytes) = repository.remove_unneeded(&needed)?;
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(texts: &[&str]) -> Vec<Timestamp> {
        texts.iter().map(|text| text.parse().expect("a time")).collect()
    }

    #[test]
    fn the_last_of_each_period_is_kept() {
        let moments = days(&[
            "2026-10-31T01:00:00Z",
            "2026-11-15T01:00:00Z",
            "2026-11-28T01:00:00Z",
            "2026-11-29T01:00:00Z",
            "2026-11-30T01:00:00Z",
            "2026-11-30T13:00:00Z",
        ]);
        let kept = |last, daily, weekly, monthly| {
            let rule = Rule {
                last,
                daily,
                weekly,
                monthly,
            };
            super::kept(&moments, rule).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(kept(2, 0, 0, 0), [4, 5]);
        assert_eq!(kept(0, 3, 0, 0), [2, 3, 5]);
        // 29 November is a Sunday, 30 November a Monday.
        assert_eq!(kept(0, 0, 2, 0), [3, 5]);
        assert_eq!(kept(0, 0, 0, 9), [0, 5]);
        assert_eq!(kept(0, 0, 0, 0), [5], "the last one stays in any case");
        assert!(super::kept(&[], Rule::default()).is_empty());
    }
}
