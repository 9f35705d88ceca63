//! Checks a backup: reads every file, then restores the backup into a scratch installation, which is checked like a
//! real one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::database::ScratchDatabase;
use super::manifest::Snapshot;
use super::repository::{Repository, SCRATCH};
use super::restore::{self, How};
use super::{BackupFault, Progress, at, durable};
use crate::cli::doctor::unusable_keys;
use crate::configuration::Configuration;
use crate::opened::{Absent, Place};
use crate::output::Failure;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    pub faults: Vec<String>,
    /// Notes about what could not be checked here.
    pub notes: Vec<String>,
    pub workflows: u64,
    pub files: u64,
}

/// Checks a snapshot. `scratch` is the folder for the scratch installation.
pub fn run(
    configuration: &Configuration,
    repository: &Repository,
    snapshot: &Snapshot,
    keys: Option<&Path>,
    scratch: Option<&Path>,
    progress: &mut Progress,
) -> Result<Checked, Failure> {
    let mut checked = Checked::default();
    progress.stage("reading every file of the backup");
    checked.faults = unlike(repository, snapshot, progress)?;
    if let Err(fault) = restore::key(repository, &snapshot.manifest, keys) {
        checked.faults.push(fault.to_string());
    }
    for hash in &snapshot.manifest.lost {
        let path = repository.file(hash);
        checked.faults.push(format!(
            "{} is not in the backup, because the installation itself had lost it (`countersign fsck` shows what it belongs to)",
            path.display()
        ));
    }
    if !checked.faults.is_empty() {
        return Ok(checked);
    }
    progress.stage("restoring into a temporary installation");
    let folder = tempfile::Builder::new()
        .prefix(SCRATCH)
        .tempdir_in(scratch.unwrap_or(repository.root()))
        .map_err(at(scratch.unwrap_or(repository.root())))?;
    let scratch = Scratch::make(configuration, folder.path().join("data"))?;
    restore::run(&scratch.place, repository, snapshot, keys, How::Link, progress)?;
    progress.stage("checking the restored installation");
    examine(&scratch.place, &mut checked)?;
    drop(scratch);
    Ok(checked)
}

/// Collects the results of `doctor`, `fsck` and `audit verify` for the restored data.
fn examine(place: &Place, checked: &mut Checked) -> Result<(), Failure> {
    let app = place.open(None, Absent::Refuse)?.app;
    for key in unusable_keys(&app)? {
        if key.is_of_token {
            checked.notes.push(key.detail);
        } else {
            checked.faults.push(key.detail);
        }
    }
    let report = app.fsck(Duration::ZERO)?;
    checked.workflows = report.audit.workflows;
    checked.files = report.audit.files;
    checked
        .faults
        .extend(report.audit.faults.iter().map(ToString::to_string));
    checked
        .faults
        .extend(report.audit.file_faults.iter().map(ToString::to_string));
    checked
        .faults
        .extend(report.audit.checkpoints.faults.iter().map(ToString::to_string));
    Ok(())
}

/// Returns the files of a snapshot that have changed.
fn unlike(repository: &Repository, snapshot: &Snapshot, progress: &mut Progress) -> Result<Vec<String>, BackupFault> {
    let mut faults = Vec::new();
    let files = snapshot.files.iter().map(|hash| (repository.file(hash), hash, None));
    let length = snapshot.manifest.database_length;
    let database = (snapshot.database_file(), &snapshot.database, Some(length));
    for (done, (path, expected, length)) in files.chain([database]).enumerate() {
        let fault = match durable::hash_of(&path) {
            Ok((found, _)) if found == *expected => None,
            Ok((_, found)) => Some(match length {
                Some(length) if found < length => format!("is cut short: only {found} of {length} bytes are there"),
                _ => "is damaged: its content differs from what was backed up".to_owned(),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("is missing".to_owned()),
            Err(error) => return Err(at(&path)(error)),
        };
        faults.extend(fault.map(|fault| format!("{} {fault}", path.display())));
        progress.step(done + 1, snapshot.files.len() + 1);
    }
    Ok(faults)
}

/// An installation that exists only while a backup is checked.
struct Scratch {
    place: Place,
    _database: Option<ScratchDatabase>,
}

impl Scratch {
    fn make(configuration: &Configuration, data: PathBuf) -> Result<Scratch, BackupFault> {
        let settings = configuration.store(&data)?;
        let database = match &settings {
            store::Settings::Sqlite { .. } => None,
            store::Settings::Postgres { .. } => Some(ScratchDatabase::create(&settings)?),
        };
        let mut configuration = configuration.clone();
        configuration.keys.master_key_file = None;
        configuration.files.url = None;
        if let Some(database) = &database {
            configuration.database.url = settings.address_of(&database.name)?;
            configuration.database.url_file = None;
            configuration.database.password_file = None;
        }
        Ok(Scratch {
            place: Place { data, configuration },
            _database: database,
        })
    }
}
