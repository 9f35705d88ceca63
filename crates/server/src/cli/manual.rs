//! `manual`: manual pages and shell completions for packages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use crate::output::Failure;

/// Write manual pages and shell completions
#[derive(Debug, Args)]
pub struct Manual {
    /// The folder to write to, created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Manual {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let folder = &self.folder;
        let failed = |error| Failure::file(folder)(error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            clap_complete::generate_to(shell, &mut Cli::command(), "countersign", folder).map_err(failed)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
