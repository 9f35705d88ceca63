//! `blobs move`: copies the files to a bucket, or back to the data folder.

use std::process::ExitCode;

use blobs::Blobs as FileStore;
use clap::{Args, Subcommand};
use serde_json::json;

use super::Context;
use crate::backup::Progress;
use crate::bucket_owner;
use crate::moved_files::{self, Moved};
use crate::output::{Failure, counted, exit_code, joined, print};

/// The word for the data folder.
const FOLDER: &str = "folder";

#[derive(Debug, Subcommand)]
pub enum Blobs {
    /// Copy the files to a bucket or back while the server runs, and say how to switch; run it again to go on after a failure
    Move(Move),
}

#[derive(Debug, Args)]
pub struct Move {
    /// Where to: `s3://bucket/prefix`, or `folder` for the data folder; the other settings are those of `[files]`
    #[arg(long, value_name = "URL")]
    to: String,
    /// The endpoint of this bucket, if it differs from files.endpoint
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Also read all files that are there already, and replace those that are damaged
    #[arg(long)]
    read_all: bool,
}

impl Blobs {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Blobs::Move(wish) => wish.run(context),
        }
    }
}

impl Move {
    fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let store = context.place.open_as_is()?;
        let from = context.place.open_files()?;
        let to = self.target(context)?;
        if from.named() == to.named() {
            return Err(Failure::Other(format!("the files are in {} already", to.named())));
        }
        if self.to != FOLDER {
            bucket_owner::claim(&store, &to)?;
        }
        let mut progress = Progress::new(context.json);
        let moved = moved_files::copy(&from, &to, self.read_all, &mut progress).map_err(|error| {
            Failure::Other(format!(
                "{error}\n  Run the same command again: it goes on where it was."
            ))
        })?;
        self.say(context, &to, &moved);
        Ok(exit_code(moved.faults.is_empty()))
    }

    fn target(&self, context: &Context) -> Result<FileStore, Failure> {
        let place = &context.place;
        if self.to == FOLDER {
            let files = FileStore::local(place.files()).map_err(|error| Failure::Other(error.to_string()))?;
            return Ok(files);
        }
        if !self.to.starts_with("s3://") {
            return Err(Failure::Other(
                "--to: write s3://bucket/prefix, or `folder` for the data folder".to_owned(),
            ));
        }
        let mut configuration = place.configuration.clone();
        if let Some(endpoint) = &self.endpoint {
            configuration.files.endpoint = Some(endpoint.clone());
        }
        Ok(place.open_bucket(&configuration.bucket_at(&self.to)?)?)
    }

    fn say(&self, context: &Context, to: &FileStore, moved: &Moved) {
        let mut lines = moved.faults.clone();
        lines.push(format!(
            "Copied {} ({} bytes) to {}, and read each back; {} already there.",
            counted(moved.copied, "file", "files"),
            moved.bytes,
            to.named(),
            counted(moved.present, "was", "were"),
        ));
        if moved.faults.is_empty() {
            lines.push(self.how_to_switch());
        } else {
            lines.push("NOT every file was copied.".to_owned());
        }
        let value = json!({
            "clean": moved.faults.is_empty(),
            "copied": moved.copied,
            "bytes": moved.bytes,
            "present": moved.present,
            "faults": moved.faults,
        });
        print(context.json, &value, &joined(&lines));
    }

    fn how_to_switch(&self) -> String {
        let settings = if self.to == FOLDER {
            "remove files.url from the settings".to_owned()
        } else {
            let endpoint = self
                .endpoint
                .as_ref()
                .map(|endpoint| format!(" and files.endpoint = \"{endpoint}\""))
                .unwrap_or_default();
            format!("set files.url = \"{}\"{endpoint}", self.to)
        };
        format!(
            "To switch: stop every server, run the same command again (it copies what came meanwhile), {settings}, start the \
             servers, and run `countersign doctor` and `countersign fsck`. Remove the old files only after that."
        )
    }
}
