//! PostgreSQL's own programs: `pg_dump`, `pg_restore`, and those that create a scratch database.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use store::Settings;

use super::BackupFault;

/// The number of lines of a program's error output that we repeat.
const LINES: usize = 5;

/// Runs programs against one database.
#[derive(Debug, Clone)]
pub struct Programs {
    variables: Vec<(&'static str, String)>,
}

impl Programs {
    pub fn of(settings: &Settings) -> Result<Programs, BackupFault> {
        Ok(Programs {
            variables: settings.program_variables()?,
        })
    }

    pub fn database(&self) -> &str {
        let found = self.variables.iter().find(|(name, _)| *name == "PGDATABASE");
        found.map_or("", |(_, value)| value)
    }

    /// Returns the program's major version, which must be at least `needed`.
    pub fn version(&self, program: &'static str, needed: u64) -> Result<u64, BackupFault> {
        let output = self.output(program, &["--version"], needed)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = said
            .split_whitespace()
            .find_map(|word| {
                let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().ok()
            })
            .unwrap_or(0);
        if found < needed {
            return Err(BackupFault::OldProgram { program, found, needed });
        }
        Ok(found)
    }

    /// Runs a program to completion. An error contains its output.
    pub fn run<A: AsRef<OsStr>>(&self, program: &'static str, arguments: &[A]) -> Result<(), BackupFault> {
        let output = self.output(program, arguments, 0)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines: Vec<&str> = said
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(LINES)
            .collect();
        Err(BackupFault::Program {
            program,
            said: lines.join(" "),
        })
    }

    fn output<A: AsRef<OsStr>>(
        &self,
        program: &'static str,
        arguments: &[A],
        needed: u64,
    ) -> Result<Output, BackupFault> {
        let output = Command::new(program)
            .args(arguments)
            .envs(self.variables.iter().map(|(name, value)| (*name, value)))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output();
        output.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => BackupFault::NoProgram { program, needed },
            _ => BackupFault::Program {
                program,
                said: error.to_string(),
            },
        })
    }
}
