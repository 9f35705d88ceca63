//! The log, on standard error: standard output belongs to what a command answers.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::configuration::{Configuration, ConfigurationFault, LogFormat};

/// Starts logging. `quiet` keeps information to itself: a command for people prints its own.
pub fn start(configuration: &Configuration, quiet: bool) -> Result<(), ConfigurationFault> {
    let log = &configuration.log;
    // Read even where it is not used, so that every command tells of a fault in it.
    let configured = EnvFilter::try_new(&log.filter).map_err(|error| configuration.senseless("log.filter", error))?;
    let filter = if quiet { EnvFilter::new("warn") } else { configured };
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
