//! `[mail]` and `[mail.smtp]`: how mails look, and which server sends them.

use std::path::PathBuf;
use std::time::Duration;

use app::MailTemplates;
use delivery::mailer::{LONGEST_SENDING, MailSettings, MailSettingsFault, MailTls, Mailer};
use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};

/// `[mail]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    /// A folder with templates that replace the built-in ones.
    pub templates_folder: Option<PathBuf>,
    /// The SMTP server. Without one, mails stay in the outbox, and a page shows them.
    pub smtp: Option<Smtp>,
}

/// `[mail.smtp]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smtp {
    pub host: String,
    /// Default: 587, 465 or 25, depending on `tls`.
    pub port: Option<u16>,
    #[serde(default)]
    pub tls: SmtpTls,
    pub from: String,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub password_file: Option<PathBuf>,
    #[serde(default = "thirty")]
    pub timeout_seconds: u64,
}

/// How the connection to the SMTP server is protected.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpTls {
    /// Not protected.
    None,
    /// STARTTLS, which must succeed.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
}

fn thirty() -> u64 {
    30
}

impl Configuration {
    /// The templates for mails, including any errors in the operator's.
    pub fn mail_templates(&self) -> MailTemplates {
        match &self.mail.templates_folder {
            Some(folder) => MailTemplates::with_folder(folder),
            None => MailTemplates::built_in(),
        }
    }

    /// The SMTP server, if there is one.
    pub fn mail(&self) -> Result<Option<MailSettings>, ConfigurationFault> {
        let Some(smtp) = &self.mail.smtp else { return Ok(None) };
        if smtp.host.contains(['@', '/', ' ']) {
            let reason = "use only the server's name; the port, user and password have their own settings";
            return Err(self.senseless("mail.smtp.host", reason));
        }
        let password = secret(
            &self.named("mail.smtp.password_file"),
            smtp.password.as_ref(),
            smtp.password_file.as_deref(),
        )?;
        let (tls, port) = match smtp.tls {
            SmtpTls::None => (MailTls::None, 25),
            SmtpTls::Starttls => (MailTls::StartTls, 587),
            SmtpTls::Tls => (MailTls::Tls, 465),
        };
        let login = match (&smtp.user, password) {
            (Some(user), Some(password)) => Some((user.clone(), password.expose().to_owned())),
            (None, None) => None,
            (Some(_), None) => return Err(self.senseless("mail.smtp.user", "set mail.smtp.password too")),
            (None, Some(_)) => return Err(self.senseless("mail.smtp.password", "set mail.smtp.user too")),
        };
        let settings = MailSettings {
            host: smtp.host.clone(),
            port: smtp.port.unwrap_or(port),
            tls,
            login,
            from: smtp.from.clone(),
            timeout: Duration::from_secs(smtp.timeout_seconds.max(1)),
            longest: LONGEST_SENDING,
        };
        match Mailer::new(&settings) {
            Ok(_) => Ok(Some(settings)),
            Err(fault @ MailSettingsFault::From(_)) => Err(self.senseless("mail.smtp.from", fault)),
            Err(fault @ MailSettingsFault::Tls(_)) => Err(self.senseless("mail.smtp.host", fault)),
        }
    }
}
