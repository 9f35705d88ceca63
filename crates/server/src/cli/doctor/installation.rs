//! The data folder, its disk, the database and its clock, backups and the master key.

use std::path::Path;
use std::sync::Arc;

use app::{FreeSpace, Vault};
use domain::Clock;
use jiff::{Timestamp, ToSpan as _};
use store::Store;

use super::{ClockCheck, Findings};
use crate::cli::Context;
use crate::environment::{SystemClock, SystemRandom};
use crate::opened::UNFINISHED_RESTORE;
use crate::output::Failure;

/// An older backup gets a note.
const BACKUP_DAYS: i64 = 7;
/// The number of days for which failed messages are counted.
const UNDELIVERED_DAYS: i64 = 7;
/// The disk is nearly full when less than this many times the reserve is free.
const NEARLY_FULL: u64 = 2;

/// Checks whether the data folder can be used or created. Otherwise, there is no need to check its content.
pub(super) fn folder(data: &Path, findings: &mut Findings) -> bool {
    let check = "data folder";
    let owner = "make the user that runs countersign its owner, or choose another folder with --data";
    let (probed, exists) = match data.try_exists() {
        Ok(true) => (data, true),
        Ok(false) => (nearest_above(data), false),
        Err(error) => {
            findings.wrong(check, format!("{} cannot be read: {error}", data.display()), owner);
            return false;
        }
    };
    if let Err(error) = probed.read_dir() {
        findings.wrong(check, format!("{} cannot be read: {error}", probed.display()), owner);
        return false;
    }
    let probe = probed.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&probe, b"probe").and_then(|()| std::fs::remove_file(&probe)) {
        Ok(()) if exists => findings.good(check, format!("{} is writable", data.display())),
        Ok(()) => findings.note(
            check,
            format!("{} does not exist yet", data.display()),
            "run `countersign serve` to create it, or choose another folder with --data",
        ),
        Err(error) if exists => {
            findings.wrong(
                check,
                format!("{} is not writable: {error}", data.display()),
                "make the user that runs countersign its owner, or free space on its disk",
            );
            return false;
        }
        Err(error) => {
            findings.wrong(
                check,
                format!("{} does not exist and cannot be created: {error}", data.display()),
                "choose another folder with --data",
            );
            return false;
        }
    }
    true
}

/// Checks for an interrupted restore. Until the restore is complete, nothing else opens the installation.
pub(super) fn unfinished_restore(data: &Path, findings: &mut Findings) {
    if data.join(UNFINISHED_RESTORE).exists() {
        findings.wrong(
            "restore",
            format!("{} contains an unfinished restore of a backup", data.display()),
            "run the same `countersign restore` again, or empty the folder",
        );
    }
}

/// Checks for enough disk space for new files and documents.
pub(super) fn disk(context: &Context, findings: &mut Findings) {
    let check = "disk space";
    let percent = context.place.configuration.documents.least_free_percent;
    for space in context.place.volumes().spaces() {
        let gigabytes = |bytes: u64| format!("{}.{}", bytes / 1_000_000_000, bytes / 100_000_000 % 10);
        let detail = format!(
            "{} of {} GB free on the disk of {}",
            gigabytes(space.free),
            gigabytes(space.total),
            space.place
        );
        let remedy = "free space on the disk, or move the data folder to a larger one";
        if space.is_short(percent) {
            let detail = format!("{detail}, less than {percent} %, so new files and documents are refused");
            findings.wrong(check, detail, remedy);
        } else if space.is_short(percent.saturating_mul(NEARLY_FULL)) {
            let detail = format!("{detail}, nearly full; below {percent} %, new files and documents are refused");
            findings.note(check, detail, remedy);
        } else {
            findings.good(check, detail);
        }
    }
}

/// The nearest existing parent folder, in which a folder would be created.
fn nearest_above(folder: &Path) -> &Path {
    folder
        .ancestors()
        // The first one is the folder itself.
        .skip(1)
        .map(|above| {
            if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            }
        })
        .find(|above| above.exists())
        .unwrap_or(Path::new("."))
}

pub(super) fn database(context: &Context, findings: &mut Findings) -> Result<Option<Store>, Failure> {
    let check = "database";
    if !context.place.has_database()? {
        findings.note(
            check,
            "does not exist yet",
            "run `countersign serve` or `countersign migrate` to create it",
        );
        return Ok(None);
    }
    let settings = context.place.configuration.store(&context.place.data)?;
    let (place, remedy) = match &settings {
        store::Settings::Sqlite { path } => (
            path.display().to_string(),
            "make the user that runs countersign its owner, or restore the file from your backup",
        ),
        store::Settings::Postgres { .. } => (
            settings.to_string(),
            "check database.url, and that the database is running and accepts connections from countersign",
        ),
    };
    let store = match Store::open(&settings) {
        Ok(store) => store,
        Err(error) => {
            findings.wrong(check, error.to_string(), remedy);
            return Ok(None);
        }
    };
    if matches!(settings, store::Settings::Postgres { .. }) && store.read(store::backup::is_empty)? {
        findings.note(
            check,
            format!("{settings} is reachable and empty"),
            "run `countersign serve` or `countersign migrate` to create the installation in it",
        );
        return Ok(None);
    }
    // A schema is current if it knows every statement of this program.
    let unknown = store::sql::ALL
        .iter()
        .flat_map(|file| file.iter())
        .find_map(|statement| store.shape(statement).err());
    if let Some(error) = unknown {
        findings.wrong(
            check,
            format!("{place}: its schema does not match this version: {error}"),
            "run `countersign migrate`",
        );
        return Ok(None);
    }
    findings.good(check, format!("{place} is reachable, and its schema is current"));
    Ok(Some(store))
}

/// Compares this machine's clock with the newest event. This does not find a clock that is ahead.
pub(super) fn clock(store: &Store, findings: &mut Findings) -> Result<ClockCheck, Failure> {
    let newest = store.read(store::audit::newest)?;
    Ok(check_clock(SystemClock.now(), newest, findings))
}

fn check_clock(now: Timestamp, newest: Option<Timestamp>, findings: &mut Findings) -> ClockCheck {
    let check = "clock";
    match newest {
        Some(newest) if app::is_clock_behind(now, newest) => {
            findings.wrong(
                check,
                format!("this machine's time is {now:.0}, but the newest event happened at {newest:.0}"),
                "set the machine's clock and keep it right with NTP, because seals and deadlines depend on it",
            );
            ClockCheck::Behind
        }
        _ => {
            findings.good(check, format!("this machine's time is {now:.0}"));
            ClockCheck::Plausible
        }
    }
}

/// Counts recent mails and text messages that could not be delivered.
pub(super) fn undelivered(store: &Store, findings: &mut Findings) -> Result<(), Failure> {
    let check = "messages";
    let since = SystemClock.now() - UNDELIVERED_DAYS * 24.hours();
    let failed = store.read(move |tx| store::outbox::undelivered_since(tx, since))?;
    for (company, count) in &failed {
        findings.note(
            check,
            format!("{count} mails or text messages of company {company} were not delivered in the last {UNDELIVERED_DAYS} days"),
            "see the reasons on the company's outbox page, under Failed; the senders were notified by mail",
        );
    }
    if failed.is_empty() {
        findings.good(check, format!("no message failed in the last {UNDELIVERED_DAYS} days"));
    }
    Ok(())
}

/// Reports when the last backup was made, and whether messages are held since a restore.
pub(super) fn backups(store: &Store, findings: &mut Findings) -> Result<(), Failure> {
    if let Some(held) = store.read(store::held_outbox::held)? {
        findings.note("outbox", crate::restored::said(held), crate::restored::REMEDY);
    }
    let check = "backup";
    let remedy = "run countersign backup DIR; the timer countersign-backup.timer runs it every night";
    match crate::restored::last_backup(store)? {
        None => findings.note(check, "no backup has been made with `countersign backup`", remedy),
        Some((at, folder)) => {
            let days = SystemClock.now().duration_since(at).as_hours() / 24;
            let detail = format!("the last backup was made at {at:.0} in {folder}");
            if days < BACKUP_DAYS {
                findings.good(check, detail);
            } else {
                findings.note(check, format!("{detail}, {days} days ago"), remedy);
            }
        }
    }
    Ok(())
}

pub(super) fn master_key(context: &Context, store: Option<&Store>, findings: &mut Findings) -> Option<Vault> {
    let check = "master key";
    let path = context.place.configuration.master_key_file(&context.place.data);
    let is_set_up = store.is_some_and(|store| app::installation::is_set_up(store).unwrap_or(false));
    let exists = match path.try_exists() {
        Ok(exists) => exists,
        Err(error) => {
            findings.wrong(
                check,
                format!("{} cannot be read: {error}", path.display()),
                "make the user that runs countersign the owner of the file and its folder",
            );
            return None;
        }
    };
    if !exists {
        if is_set_up {
            let detail = format!("{} is missing, but the database was set up with it", path.display());
            findings.wrong(
                check,
                detail,
                "restore the file from your backup; without it, no document can be sealed",
            );
        } else {
            findings.note(
                check,
                format!("{} does not exist yet", path.display()),
                "the first start creates it",
            );
        }
        return None;
    }
    let vault = match Vault::open(&path, Arc::new(SystemRandom)) {
        Ok(vault) => vault,
        Err(error) => {
            findings.wrong(check, error.to_string(), "restore the file from your backup");
            return None;
        }
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).map_or(0, |metadata| metadata.permissions().mode());
        if mode & 0o077 != 0 {
            let detail = format!("{} can be read by users other than its owner", path.display());
            findings.wrong(check, detail, &format!("chmod 600 {}", path.display()));
        }
    }
    if is_set_up
        && let Some(store) = store
        && let Err(error) = app::installation::set_up(store, &vault, &SystemClock)
    {
        findings.wrong(
            check,
            error.to_string(),
            "use the master key that the database was set up with",
        );
        return None;
    }
    findings.good(check, path.display().to_string());
    is_set_up.then_some(vault)
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, ToSpan as _};

    use super::{ClockCheck, Findings, check_clock};

    #[test]
    fn a_clock_that_is_behind_the_newest_event_is_wrong() {
        let now: Timestamp = "2026-11-30T10:00:00Z".parse().expect("a time");
        let cases = [
            (None, ClockCheck::Plausible),
            (Some(now - 9.hours()), ClockCheck::Plausible),
            // The clocks of several servers may differ a little.
            (Some(now + 59.seconds()), ClockCheck::Plausible),
            (Some(now + 61.seconds()), ClockCheck::Behind),
        ];
        for (newest, expected) in cases {
            let mut findings = Findings::default();
            assert_eq!(check_clock(now, newest, &mut findings), expected, "{newest:?}");
            assert_eq!(findings.0.len(), 1);
        }
    }
}
