//! The command line: one file per command.

use std::path::PathBuf;
use std::process::ExitCode;

use ::document::intake::{Acceptance, Wishes};
use app::{Actor, App};
use clap::{Args, Parser, Subcommand};
use domain::{CompanyId, Language};

use crate::configuration::Configuration;
use crate::logging;
use crate::opened::{Absent, Opened, Place};
use crate::output::Failure;

mod audit;
mod backup;
mod blobs;
mod client;
mod company;
pub mod doctor;
mod document;
mod erase_person;
mod fsck;
mod healthcheck;
mod mail;
mod manual;
mod member;
mod messenger;
mod migrate;
mod outbox;
mod restore;
mod root_certificate;
mod serve;
mod template;
mod token;
mod verify;
mod webhook;
mod workflow;

/// `script/release` adds the commit and date: `0.1.0 (1a2b3c4d, 2026-11-30)`.
pub const VERSION: &str = match option_env!("COUNTERSIGN_RELEASE") {
    Some(release) => release,
    None => env!("CARGO_PKG_VERSION"),
};

/// Self-hosted electronic signing: send documents, have them signed, and seal them
#[derive(Debug, Parser)]
#[command(name = "countersign", version = VERSION, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command accepts, before or after its name.
#[derive(Debug, Args)]
struct Global {
    /// The configuration file (TOML)
    #[arg(long, global = true, env = "COUNTERSIGN_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder with the database, files and master key
    #[arg(
        long,
        global = true,
        env = "COUNTERSIGN_DATA",
        value_name = "DIR",
        default_value = "countersign-data"
    )]
    data: PathBuf,
    /// Print JSON for programs
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service: API, pages and background work
    Serve(serve::Serve),
    /// Add and change companies
    #[command(subcommand)]
    Company(company::Company),
    /// Add and change members
    #[command(subcommand)]
    Member(member::Member),
    /// List and revoke access tokens
    #[command(subcommand)]
    Token(token::Token),
    /// Manage API clients and their webhook secrets
    #[command(subcommand)]
    Client(client::Client),
    /// Import, replace, list and archive templates
    #[command(subcommand)]
    Template(template::Template),
    /// List documents, and show one
    #[command(subcommand)]
    Workflow(workflow::Workflow),
    /// List, pause, start and test webhook endpoints
    #[command(subcommand)]
    Webhook(webhook::Webhook),
    /// List and test the gateways for text messages
    #[command(subcommand)]
    Messenger(messenger::Messenger),
    /// Send test mails, and record mails that were returned
    #[command(subcommand)]
    Mail(mail::Mail),
    /// Verify a signed PDF; exit code 0 only if everything is valid
    Verify(verify::Verify),
    /// Inspect and seal documents
    #[command(subcommand)]
    Document(document::Document),
    /// Verify the audit trails of all workflows, and show who changed what
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Check the files against the database
    Fsck(fsck::Fsck),
    /// Move the files to a bucket, or back
    #[command(subcommand)]
    Blobs(blobs::Blobs),
    /// Find what is wrong with this installation, and how to fix it
    Doctor(doctor::Doctor),
    /// Back up the installation while it runs; check, list and prune backups
    Backup(backup::Backup),
    /// Restore a backup into an empty installation
    Restore(restore::Restore),
    /// Show, send or drop messages that are held after a restore
    #[command(subcommand)]
    Outbox(outbox::Outbox),
    /// Update the database schema
    Migrate(migrate::Migrate),
    /// Print the installation's root certificate (PEM), for others to trust
    Root(root_certificate::Root),
    /// Check that the server on this machine is healthy
    Healthcheck(healthcheck::Healthcheck),
    /// Write manual pages and shell completions
    #[command(hide = true)]
    Manual(manual::Manual),
    /// A child process that reads PDFs from strangers; only the service starts it
    #[command(hide = true)]
    DocumentWorker,
}

/// The options and configuration that commands work with.
pub struct Context {
    pub place: Place,
    /// Whether to print JSON for programs.
    pub json: bool,
}

impl Context {
    /// Opens the installation, which must exist.
    pub fn open(&self) -> Result<Opened, Failure> {
        Ok(self.place.open(None, Absent::Refuse)?)
    }
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    // The child sandboxes itself before anything else. It needs neither configuration nor log.
    if let Command::DocumentWorker = cli.command {
        return document_worker::child::main();
    }
    let json = cli.global.json;
    match run(cli) {
        Ok(code) => code,
        Err(failure) => {
            failure.print(json);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let configuration = Configuration::load(cli.global.config.as_deref())?;
    logging::start(&configuration, !matches!(cli.command, Command::Serve(_)))?;
    let context = Context {
        place: Place {
            data: cli.global.data,
            configuration,
        },
        json: cli.global.json,
    };
    let outcome = match cli.command {
        Command::Serve(command) => command.run(&context),
        Command::Company(command) => command.run(&context),
        Command::Member(command) => command.run(&context),
        Command::Token(command) => command.run(&context),
        Command::Client(command) => command.run(&context),
        Command::Template(command) => command.run(&context),
        Command::Workflow(command) => command.run(&context),
        Command::Webhook(command) => command.run(&context),
        Command::Messenger(command) => command.run(&context),
        Command::Mail(command) => command.run(&context),
        Command::Verify(command) => command.run(&context),
        Command::Document(command) => command.run(&context),
        Command::Audit(command) => command.run(&context),
        Command::Fsck(command) => command.run(&context),
        Command::Blobs(command) => command.run(&context),
        Command::Doctor(_) => doctor::Doctor::run(&context),
        Command::Backup(command) => command.run(&context),
        Command::Restore(command) => command.run(&context),
        Command::Outbox(command) => command.run(&context),
        Command::Migrate(_) => migrate::Migrate::run(&context),
        Command::Root(root) => root.run(&context),
        Command::Healthcheck(command) => command.run(&context),
        Command::Manual(command) => command.run(),
        Command::DocumentWorker => Ok(ExitCode::FAILURE),
    };
    outcome.map_err(|failure| failure.within(&context.place))
}

/// `--company ID`, in upper or lower case.
#[derive(Debug, Args)]
pub struct OfCompany {
    /// The company's ID
    #[arg(long, value_name = "ID", value_parser = company_id)]
    pub company: CompanyId,
}

impl OfCompany {
    /// Returns the operator as an actor for this company.
    pub fn operator(&self, app: &App) -> Result<Actor, Failure> {
        Ok(app.operator(&self.company)?)
    }
}

fn company_id(text: &str) -> Result<CompanyId, String> {
    CompanyId::parse(text).map_err(|fault| fault.to_string())
}

/// Reads a language code.
fn language(text: &str) -> Result<Language, String> {
    Language::parse(text).ok_or_else(|| "use ko, en or ja".to_owned())
}

/// Options for the intake of a PDF.
#[derive(Debug, Args)]
pub struct OfUpload {
    /// A file whose first line is the password of an encrypted PDF
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// If the PDF is damaged, accept it as we rebuild it; review every page before you send it
    #[arg(long)]
    accept_rebuilt: bool,
    /// If a signed PDF cannot be accepted with its signatures, accept a copy without them
    #[arg(long)]
    without_signatures: bool,
    /// Language of the messages about the PDF: ko, en, ja
    #[arg(long, default_value = "en", value_parser = language)]
    pub language: Language,
}

impl OfUpload {
    pub fn wishes(&self) -> Result<Wishes, Failure> {
        let password = match &self.password_file {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(Failure::file(path))?;
                Some(text.lines().next().unwrap_or_default().to_owned())
            }
            None => None,
        };
        let accepted = [
            (self.accept_rebuilt, Acceptance::Rebuilt),
            (self.without_signatures, Acceptance::WithoutSignatures),
        ];
        let accepted = accepted.into_iter().filter(|(is_accepted, _)| *is_accepted);
        Ok(Wishes {
            password,
            accepts: accepted.map(|(_, acceptance)| acceptance).collect(),
            ..Wishes::default()
        })
    }
}

/// Reads a whole file named on the command line.
pub fn read(path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(Failure::file(path))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_every_command_may_stand_before_or_after_it() {
        for line in [
            "countersign --json --data d company list",
            "countersign company list --json --data d",
            "countersign company --json list --data d",
        ] {
            let cli = Cli::try_parse_from(line.split(' ')).expect(line);
            assert!(cli.global.json, "{line}");
            assert_eq!(cli.global.data, PathBuf::from("d"), "{line}");
        }
    }
}
