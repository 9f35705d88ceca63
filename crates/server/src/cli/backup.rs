//! `backup`: makes, checks, lists and prunes backups.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Context;
use super::restore::ChosenBackup;
use crate::backup::prune::{self, Rule};
use crate::backup::repository::{Repository, Use};
use crate::backup::take::{self, Made, Wish};
use crate::backup::{Progress, check};
use crate::output::{Failure, counted, exit_code, joined, print, remark, table};

/// Back up database, files and master key while the server runs; only new files are copied
///
/// The folder must be outside the data folder, preferably on another machine. Every copied file is read back. The
/// master key goes to DIR/keys: anyone who has it and the rest of the backup can read everything and seal in your
/// companies' names. Keep it elsewhere with --keys.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub struct Backup {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    /// The folder for the backups of this installation; created if it does not exist
    #[arg(value_name = "DIR", required = true)]
    folder: Option<PathBuf>,
    /// The folder for the master key, if not DIR/keys
    #[arg(long, value_name = "FOLDER")]
    keys: Option<PathBuf>,
    /// Do not copy the master key; without it nobody can restore the backup
    #[arg(long, conflicts_with = "keys")]
    without_key: bool,
    /// Also read all files of earlier backups again, and replace those that are damaged
    #[arg(long)]
    read_all: bool,
}

#[derive(Debug, Subcommand)]
enum BackupCommand {
    /// Read every file of a backup, restore it into a scratch folder and check it there; exit code 0 only if nothing is
    /// wrong
    Check {
        #[command(flatten)]
        chosen: ChosenBackup,
        /// The folder to restore it in; default: DIR itself, where files take no extra space
        #[arg(long, value_name = "FOLDER")]
        scratch: Option<PathBuf>,
    },
    /// List the backups in a folder
    List {
        /// The folder with the backups
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Remove old backups, and the files that only they need
    Prune {
        /// The folder with the backups
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        rule: KeepRule,
        /// Only show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct KeepRule {
    /// Keep the last N backups
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Keep the last backup of each of the last N days (UTC)
    #[arg(long, value_name = "N")]
    keep_daily: Option<usize>,
    /// Keep the last backup of each of the last N weeks
    #[arg(long, value_name = "N")]
    keep_weekly: Option<usize>,
    /// Keep the last backup of each of the last N months
    #[arg(long, value_name = "N")]
    keep_monthly: Option<usize>,
}

impl Backup {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.command {
            None => {
                let wish = Wish {
                    folder: self.folder.unwrap_or_default(),
                    keys: self.keys,
                    without_key: self.without_key,
                    read_all: self.read_all,
                };
                make(context, &wish)
            }
            Some(BackupCommand::Check { chosen, scratch }) => {
                let (repository, snapshot) = chosen.open()?;
                let checked = check::run(
                    &context.place.configuration,
                    &repository,
                    &snapshot,
                    chosen.keys.as_deref(),
                    scratch.as_deref(),
                    &mut Progress::new(context.json),
                )?;
                Ok(print_checked(context, &snapshot.name, &checked))
            }
            Some(BackupCommand::List { folder }) => list(context, &Repository::open(&folder, Use::Look)?),
            Some(BackupCommand::Prune { folder, rule, dry_run }) => {
                prune_backups(context, &Repository::open(&folder, Use::Write)?, &rule, dry_run)
            }
        }
    }
}

fn make(context: &Context, wish: &Wish) -> Result<ExitCode, Failure> {
    let made = take::make(&context.place, wish, &mut Progress::new(context.json))?;
    let Made {
        name,
        manifest,
        key,
        new_files,
        new_bytes,
    } = &made;
    let lost: Vec<String> = manifest.lost.iter().map(ToString::to_string).collect();
    let value = json!({
        "backup": name,
        "folder": wish.folder.display().to_string(),
        "taken_at": manifest.taken_at,
        "finished_at": manifest.finished_at,
        "files": manifest.files,
        "new_files": new_files,
        "new_bytes": new_bytes,
        "database_bytes": manifest.database_length,
        "key": key.as_ref().map(|key| key.display().to_string()),
        "lost": lost,
    });
    let mut lines: Vec<String> = lost
        .iter()
        .map(|hash| {
            format!(
                "file {hash} is missing or damaged in the installation; `countersign fsck` shows what it belongs to"
            )
        })
        .collect();
    lines.push(format!(
        "backup {name}: contains everything before {:.0}; {}, {} of them new ({new_bytes} bytes), and a database of {} bytes",
        manifest.taken_at,
        counted(manifest.files, "file", "files"),
        new_files,
        manifest.database_length
    ));
    print(context.json, &value, &joined(&lines));
    match key {
        Some(key) if wish.keys.is_none() => remark(
            context.json,
            &format!(
                "The master key is in {}. Anyone who has it and the rest of the backup can read everything and seal in your \
                 companies' names: move it elsewhere, or use --keys.",
                key.display()
            ),
        ),
        Some(_) => {}
        None => remark(
            context.json,
            "The master key was not copied. Without it, nobody can restore this backup.",
        ),
    }
    Ok(exit_code(lost.is_empty()))
}

fn print_checked(context: &Context, name: &str, checked: &check::Checked) -> ExitCode {
    let clean = checked.faults.is_empty();
    let value = json!({
        "backup": name,
        "clean": clean,
        "workflows": checked.workflows,
        "files": checked.files,
        "faults": checked.faults,
        "notes": checked.notes,
    });
    let mut lines = checked.faults.clone();
    lines.extend(checked.notes.iter().map(|note| format!("not checked here: {note}")));
    lines.push(if clean {
        format!(
            "backup {name}: {}, {}: every check passed, and it can be restored",
            counted(checked.workflows, "workflow", "workflows"),
            counted(checked.files, "file", "files")
        )
    } else {
        format!(
            "backup {name}: NOT every check passed. Damaged and missing files: `countersign backup --read-all` copies them again, \
             if the installation still has them; a damaged database: use another backup"
        )
    });
    print(context.json, &value, &joined(&lines));
    exit_code(clean)
}

fn list(context: &Context, repository: &Repository) -> Result<ExitCode, Failure> {
    let (mut values, mut rows, mut all_read) = (Vec::new(), Vec::new(), true);
    for name in repository.names()? {
        match repository.snapshot(Some(&name)) {
            Ok(snapshot) => {
                let manifest = snapshot.manifest;
                values.push(json!({
                    "backup": name,
                    "taken_at": manifest.taken_at,
                    "files": manifest.files,
                    "database_bytes": manifest.database_length,
                    "program": manifest.program,
                    "lost": manifest.lost.len(),
                }));
                rows.push(vec![
                    name,
                    manifest.files.to_string(),
                    manifest.database_length.to_string(),
                    manifest.program,
                ]);
            }
            Err(fault) => {
                all_read = false;
                values.push(json!({"backup": name, "fault": fault.to_string()}));
                rows.push(vec![name, fault.to_string(), String::new(), String::new()]);
            }
        }
    }
    print(
        context.json,
        &json!(values),
        &table(&["BACKUP", "FILES", "DATABASE", "PROGRAM"], &rows),
    );
    Ok(exit_code(all_read))
}

fn prune_backups(
    context: &Context,
    repository: &Repository,
    keep: &KeepRule,
    is_dry: bool,
) -> Result<ExitCode, Failure> {
    let rule = Rule {
        last: keep.keep.unwrap_or(0),
        daily: keep.keep_daily.unwrap_or(0),
        weekly: keep.keep_weekly.unwrap_or(0),
        monthly: keep.keep_monthly.unwrap_or(0),
    };
    let pruned = prune::run(repository, rule, is_dry, &mut Progress::new(context.json))?;
    let value = json!({
        "kept": pruned.kept,
        "removed": pruned.removed,
        "dry_run": is_dry,
        "files": pruned.files,
        "bytes": pruned.bytes,
    });
    let verb = if is_dry { "would remove" } else { "removed" };
    let mut lines: Vec<String> = pruned.removed.iter().map(|name| format!("{verb} {name}")).collect();
    lines.push(format!("{} kept", counted(pruned.kept.len(), "backup", "backups")));
    if pruned.files > 0 {
        lines.push(format!(
            "removed {} that no backup needs ({} bytes)",
            counted(pruned.files, "file", "files"),
            pruned.bytes
        ));
    }
    print(context.json, &value, &joined(&lines));
    Ok(ExitCode::SUCCESS)
}
