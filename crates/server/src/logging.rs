//! The log, on standard error: standard output belongs to what a command answers.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::configuration::{ConfigurationFault, Log, LogFormat};

/// Starts logging. `quiet` keeps information to itself: a command for people prints its own.
pub fn start(log: &Log, quiet: bool) -> Result<(), ConfigurationFault> {
    let filter = if quiet { "warn" } else { log.filter.as_str() };
    let filter = EnvFilter::try_new(filter).map_err(|error| ConfigurationFault::Senseless {
        setting: "log.filter",
        reason: error.to_string(),
    })?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // A second start in one process keeps the first: there is none but in tests.
    let _ = match log.format {
        LogFormat::Text => subscriber.with_ansi(false).try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    };
    Ok(())
}
