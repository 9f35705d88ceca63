//! Allows one server per data folder if the database is SQLite.
//!
//! SQLite lets several processes use one file, and the operator's commands do so while a server is running. But two
//! *servers* on one file would wait for each other's writes and never receive each other's notifications, so several
//! nodes need PostgreSQL. The lock belongs to the open file, so it always ends with the process. The file's content is
//! only for people.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The file's name in the data folder.
const NAME: &str = "serve.lock";

/// The right to be the only server of a data folder, released on drop.
#[derive(Debug)]
pub struct OneServer {
    file: File,
}

/// The reasons why the folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OneServerFault {
    /// Another process uses the folder.
    #[error(
        "another server is already using {folder} ({holder}); several servers on one installation need PostgreSQL \
         (database.url)"
    )]
    Taken {
        folder: PathBuf,
        /// The other process, as described in the lock file.
        holder: String,
    },
    /// The lock file cannot be used.
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
}

impl OneServer {
    /// Claims the folder, which must exist.
    pub fn claim(folder: &Path) -> Result<OneServer, OneServerFault> {
        let path = folder.join(NAME);
        let failed = |source| OneServerFault::File {
            path: path.clone(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = std::fs::read_to_string(&path).unwrap_or_default();
                let holder = match holder.trim() {
                    "" => "its address is unknown".to_owned(),
                    named => named.to_owned(),
                };
                return Err(OneServerFault::Taken {
                    folder: folder.to_owned(),
                    holder,
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let mut claimed = OneServer { file };
        claimed
            .write(&format!("process {}", std::process::id()))
            .map_err(failed)?;
        Ok(claimed)
    }

    /// Writes this server's address into the file, for people who find the folder in use.
    pub fn tell(&mut self, bound: SocketAddr) -> io::Result<()> {
        self.write(&format!("process {}, http://{bound}", std::process::id()))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        writeln!(self.file, "{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_learns_of_the_first_and_succeeds_when_that_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = OneServer::claim(folder.path()).expect("the first");
        first.tell("127.0.0.1:4711".parse().expect("an address")).expect("told");
        let refused = OneServer::claim(folder.path()).expect_err("the second").to_string();
        let process = format!("process {}, http://127.0.0.1:4711", std::process::id());
        assert!(
            refused.contains(&process) && refused.contains("PostgreSQL"),
            "{refused}"
        );
        drop(first);
        OneServer::claim(folder.path()).expect("the next");
    }
}
