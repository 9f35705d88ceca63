//! Logging. The log goes to standard error, because standard output is for the results of commands.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::configuration::{Configuration, ConfigurationFault, LogFormat};

/// Starts logging. `quiet` suppresses informational messages, because a command for people prints its own.
pub fn start(configuration: &Configuration, quiet: bool) -> Result<(), ConfigurationFault> {
    let log = &configuration.log;
    // Parsed even if unused, so that every command reports an error in it.
    let configured = EnvFilter::try_new(&log.filter).map_err(|error| configuration.senseless("log.filter", error))?;
    let filter = if quiet { EnvFilter::new("warn") } else { configured };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    // A second start in one process keeps the first logger. This only happens in tests.
    let _ = match log.format {
        LogFormat::Text => subscriber.with_ansi(false).try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    };
    Ok(())
}
