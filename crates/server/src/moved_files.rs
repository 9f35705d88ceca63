//! Copies the files of an installation to another file store, while the server runs.
//!
//! A file has its name only when it is whole, so a copy that was interrupted goes on where it was. Each file that is copied
//! is read back and compared with its name.

use std::collections::HashMap;

use blobs::{Blobs, Error, Listed, side_by_side};
use domain::BlobHash;

use crate::backup::Progress;
use crate::backup::take::CHECKPOINTS;

/// How many files are copied between two lines about the progress.
const A_TURN: usize = 256;

/// What was done.
#[derive(Debug, Default)]
pub struct Moved {
    pub copied: usize,
    pub bytes: u64,
    /// Were there already.
    pub present: usize,
    /// What could not be copied as it should be.
    pub faults: Vec<String>,
}

/// Copies everything that is not there yet. With `read_all`, also reads what is there, and replaces what is damaged.
pub fn copy(from: &Blobs, to: &Blobs, read_all: bool, progress: &mut Progress) -> Result<Moved, Error> {
    progress.stage("listing the files");
    let present: HashMap<BlobHash, u64> = to.list()?.iter().map(|file| (file.hash, file.length)).collect();
    let is_present = |file: &Listed| present.get(&file.hash) == Some(&file.length);
    let mut moved = Moved::default();
    let (there, mut todo): (Vec<Listed>, Vec<Listed>) = from.list()?.into_iter().partition(is_present);
    if read_all {
        progress.stage("reading the files that are there");
        for (turn, files) in there.chunks(A_TURN).enumerate() {
            progress.step(turn * A_TURN, there.len());
            let damaged = side_by_side(to.at_once(), files, |file| match to.get(&file.hash) {
                Ok(_) => Ok(None),
                Err(Error::Missing(_) | Error::Damaged(_)) => Ok(Some(*file)),
                Err(error) => Err(error),
            })?;
            let damaged: Vec<Listed> = damaged.into_iter().flatten().collect();
            moved.present += files.len() - damaged.len();
            todo.extend(damaged);
        }
    } else {
        moved.present = there.len();
    }
    progress.stage("copying files");
    all(from, to, &todo, &mut moved, progress)?;
    progress.stage("copying checkpoints");
    named(from, to, CHECKPOINTS, &mut moved)?;
    Ok(moved)
}

/// What became of one file.
enum Copied {
    Whole(u64),
    /// It was removed meanwhile: nothing needs it.
    Gone,
    Faulty(String),
}

fn all(from: &Blobs, to: &Blobs, todo: &[Listed], moved: &mut Moved, progress: &mut Progress) -> Result<(), Error> {
    for (turn, files) in todo.chunks(A_TURN).enumerate() {
        progress.step(turn * A_TURN, todo.len());
        let at_once = from.at_once().max(to.at_once());
        for copied in side_by_side(at_once, files, |file| one(from, to, &file.hash))? {
            match copied {
                Copied::Whole(bytes) => {
                    moved.copied += 1;
                    moved.bytes += bytes;
                }
                Copied::Gone => {}
                Copied::Faulty(fault) => moved.faults.push(fault),
            }
        }
    }
    Ok(())
}

fn one(from: &Blobs, to: &Blobs, hash: &BlobHash) -> Result<Copied, Error> {
    let bytes = match from.get(hash) {
        Ok(bytes) => bytes,
        Err(Error::Missing(_)) => return Ok(Copied::Gone),
        Err(error @ Error::Damaged(_)) => return Ok(Copied::Faulty(format!("{}: {error}", from.named()))),
        Err(error) => return Err(error),
    };
    #[expect(clippy::disallowed_methods, reason = "the installation knows what needs it")]
    to.put(&bytes)?;
    match to.get(hash) {
        Ok(_) => Ok(Copied::Whole(bytes.len() as u64)),
        Err(error @ (Error::Missing(_) | Error::Damaged(_))) => Ok(Copied::Faulty(format!("{}: {error}", to.named()))),
        Err(error) => Err(error),
    }
}

/// The files with their own names in a folder, and in its subfolders. None of them is ever changed.
fn named(from: &Blobs, to: &Blobs, folder: &str, moved: &mut Moved) -> Result<(), Error> {
    let (files, folders) = from.list_named(folder)?;
    for file in files {
        let name = format!("{folder}/{file}");
        // One that is gone was the oldest, which nobody needs any more.
        let Some(bytes) = from.get_named(&name)? else { continue };
        if to.get_named(&name)?.as_deref() == Some(&bytes[..]) {
            moved.present += 1;
            continue;
        }
        if to.put_named(&name, &bytes)? && to.get_named(&name)?.as_deref() == Some(&bytes[..]) {
            moved.copied += 1;
            moved.bytes += bytes.len() as u64;
        } else {
            let fault = format!("{}: {name} has another content than in {}", to.named(), from.named());
            moved.faults.push(fault);
        }
    }
    folders
        .into_iter()
        .try_for_each(|inner| named(from, to, &format!("{folder}/{inner}"), moved))
}
