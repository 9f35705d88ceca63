//! `restore`: restores a backup into an empty installation.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Context;
use crate::backup::manifest::Snapshot;
use crate::backup::repository::{Repository, Use};
use crate::backup::restore::{self, How};
use crate::backup::{BackupFault, Progress};
use crate::output::{Failure, counted, print};
use crate::restored::REMEDY;

/// Restore a backup into an empty installation, and hold its messages until you release or drop them
///
/// Name the new data folder with --data. If the backup is of a PostgreSQL database, name an empty one in the settings.
/// If the command is interrupted, run it again.
#[derive(Debug, Args)]
pub struct Restore {
    #[command(flatten)]
    chosen: ChosenBackup,
}

/// The backup to read.
#[derive(Debug, Args)]
pub struct ChosenBackup {
    /// The folder with the backups
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The backup's name, as shown by `backup list`; default: the latest
    #[arg(long, value_name = "NAME")]
    snapshot: Option<String>,
    /// The folder with the master key, if not DIR/keys
    #[arg(long, value_name = "FOLDER")]
    pub keys: Option<PathBuf>,
}

impl ChosenBackup {
    pub fn open(&self) -> Result<(Repository, Snapshot), BackupFault> {
        let repository = Repository::open(&self.folder, Use::Read)?;
        let snapshot = repository.snapshot(self.snapshot.as_deref())?;
        Ok((repository, snapshot))
    }
}

impl Restore {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (repository, snapshot) = self.chosen.open()?;
        restore::run(
            &context.place,
            &repository,
            &snapshot,
            self.chosen.keys.as_deref(),
            How::Copy,
            &mut Progress::new(context.json),
        )?;
        let manifest = &snapshot.manifest;
        let lost: Vec<String> = manifest.lost.iter().map(ToString::to_string).collect();
        let line = format!(
            "Restored backup {} with {} into {}. Check it with `countersign doctor` and `countersign fsck`. No message goes out \
             yet: {REMEDY}.",
            snapshot.name,
            counted(manifest.files, "file", "files"),
            context.place.named()
        );
        let value = json!({
            "backup": snapshot.name,
            "taken_at": manifest.taken_at,
            "files": manifest.files,
            "lost": lost,
            "outbox": "held",
        });
        print(context.json, &value, &line);
        Ok(ExitCode::SUCCESS)
    }
}
